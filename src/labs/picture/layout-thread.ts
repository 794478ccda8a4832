import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { AppError, systemCode } from '../../lib/app-error.ts';
import { deferred } from '../../lib/deferred.ts';
import { after } from '../../lib/disposal.ts';
import { Mutex } from '../../lib/mutex.ts';
import { packageFile } from '../../lib/package-root.ts';
import type { LayoutAnswer, LayoutTask } from './layout-worker.ts';
import type { Placed } from './picture.ts';

interface LayoutThreadOptions {
  /** Ends the thread, and whatever it is at. */
  readonly shutdown: AbortSignal;
  readonly timeoutMs?: number;
  readonly memoryMb?: number;
  /** The program of the thread. */
  readonly program?: URL;
}

/** 300 nodes take some seconds on a slow machine; what takes longer than this does not end in a picture that is of any use. */
const longestMs = 30_000;
/** The thread has 60 MB; the next picture is quick while it is there. */
const idleMs = 60_000;
const mostMemoryMb = 512;
/** The built file, also for tests, which run the sources: a thread of Node takes no TypeScript. */
const builtProgram = pathToFileURL(packageFile('dist', 'labs', 'picture', 'layout-worker.js'));

/** Lays out one topology at a time in a thread of its own, which is started when it is needed. */
export class LayoutThread {
  readonly #options: LayoutThreadOptions;
  readonly #turn = new Mutex();
  #worker: Worker | undefined;
  #stopIdling = (): void => undefined;

  constructor(options: LayoutThreadOptions) {
    this.#options = options;
    options.shutdown.addEventListener('abort', () => this.#end());
  }

  /** @throws AppError `not-supported` when it takes too long or too much memory; `shutting-down`. */
  async layOut(task: LayoutTask): Promise<Placed> {
    return this.#turn.run(async () => {
      if (this.#options.shutdown.aborted) throw shuttingDown();
      this.#stopIdling();
      try {
        return await this.#ask(task);
      } finally {
        this.#stopIdling = after(idleMs, () => this.#end());
      }
    });
  }

  async #ask(task: LayoutTask): Promise<Placed> {
    const worker = (this.#worker ??= this.#start());
    const { promise, resolve, reject } = deferred<Placed>();
    const answer = (sent: LayoutAnswer): void => {
      if (sent.kind === 'placed') resolve(sent.placed);
      else reject(new Error(`the picture cannot be laid out: ${sent.message}`));
    };
    const fail = (error: Error): void => {
      const isMemory = systemCode(error) === 'ERR_WORKER_OUT_OF_MEMORY';
      reject(isMemory ? tooMuch('more memory than it may have', error) : error);
    };
    const exit = (): void => {
      const { aborted } = this.#options.shutdown;
      reject(aborted ? shuttingDown() : new Error('the thread that lays out pictures has ended'));
    };
    const { timeoutMs = longestMs } = this.#options;
    const stopTimer = after(timeoutMs, () => {
      reject(tooMuch(`more than ${timeoutMs / 1000} s`));
      this.#end();
    });
    worker.once('message', answer).once('error', fail).once('exit', exit);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node, no window of a browser
    worker.postMessage(task);
    try {
      return await promise;
    } finally {
      stopTimer();
      worker.off('message', answer).off('error', fail).off('exit', exit);
    }
  }

  #start(): Worker {
    const { program = builtProgram, memoryMb = mostMemoryMb } = this.#options;
    const worker = new Worker(program, {
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      // What the libraries in it print is not for the log of the service.
      stdout: true,
      stderr: true,
    });
    worker.unref();
    const forget = (): void => {
      if (this.#worker === worker) this.#worker = undefined;
    };
    // It is of no use from its failure on, which comes before its end.
    worker.on('error', forget).on('exit', forget);
    return worker;
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }
}

function shuttingDown(): AppError {
  return new AppError('shutting-down', 'The server is shutting down');
}

function tooMuch(what: string, cause?: Error): AppError {
  const message = `to lay out the picture of this lab takes ${what}: draw a part of it, or give positions with PUT …/layout`;
  return new AppError('not-supported', message, { cause });
}
