/** A thread for work that would keep the event loop: one task at a time, within bounds of time and memory. */
import { Worker } from 'node:worker_threads';
import { systemCode } from '../app-error.ts';
import { deferred } from './deferred.ts';
import { after } from './disposal.ts';
import { Mutex } from './mutex.ts';

/** Why a task has no answer: it took too long or too much memory, the service stops, or the thread broke by itself. */
type ThreadLoss = 'time' | 'memory' | 'shutdown' | 'broken';

export class ThreadFailure extends Error {
  override readonly name = 'ThreadFailure';
  readonly loss: ThreadLoss;

  constructor(loss: ThreadLoss, message: string, options?: ErrorOptions) {
    super(message, options);
    this.loss = loss;
  }
}

interface ThreadOptions {
  /** Built: a thread of Node takes no TypeScript. It answers each message with one. */
  readonly program: URL;
  /** Ends the thread, and whatever it is at. */
  readonly shutdown: AbortSignal;
  /** For one task. */
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

/** A thread has tens of MB; the next task is quick while it is there. */
const idleMs = 60_000;

/** Started when it is needed, and anew after a task that it could not do. */
export class Thread<Task, Answer> {
  readonly #options: ThreadOptions;
  readonly #turn = new Mutex();
  #worker: Worker | undefined;
  #stopIdling = (): void => undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
    options.shutdown.addEventListener('abort', () => this.#end());
  }

  /** @throws ThreadFailure. */
  async ask(task: Task): Promise<Answer> {
    return this.#turn.run(async () => {
      if (this.#options.shutdown.aborted) throw stopping();
      this.#stopIdling();
      try {
        return await this.#ask(task);
      } finally {
        this.#stopIdling = after(idleMs, () => this.#end());
      }
    });
  }

  async #ask(task: Task): Promise<Answer> {
    const worker = (this.#worker ??= this.#start());
    const { shutdown, timeoutMs } = this.#options;
    const { promise, resolve, reject } = deferred<Answer>();
    const fail = (error: Error): void => {
      const isMemory = systemCode(error) === 'ERR_WORKER_OUT_OF_MEMORY';
      reject(new ThreadFailure(isMemory ? 'memory' : 'broken', error.message, { cause: error }));
    };
    const exit = (): void =>
      reject(shutdown.aborted ? stopping() : new ThreadFailure('broken', 'the thread has ended'));
    const stopTimer = after(timeoutMs, () => {
      reject(new ThreadFailure('time', `it took more than ${timeoutMs / 1000} s`));
      this.#end();
    });
    worker.once('message', resolve).once('error', fail).once('exit', exit);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node, no window of a browser
    worker.postMessage(task);
    try {
      return await promise;
    } finally {
      stopTimer();
      worker.off('message', resolve).off('error', fail).off('exit', exit);
    }
  }

  #start(): Worker {
    const { program, memoryMb } = this.#options;
    const worker = new Worker(program, {
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      // Output of libraries does not belong into the log of the service.
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

const stopping = (): ThreadFailure => new ThreadFailure('shutdown', 'the service stops');
