import { pathToFileURL } from 'node:url';
import { AppError } from '../../lib/app-error.ts';
import { packageFile } from '../../lib/files/package-root.ts';
import { Thread, ThreadFailure } from '../../lib/async/thread.ts';
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
const mostMemoryMb = 512;
/** The built file, also for tests, which run the sources. */
const builtProgram = pathToFileURL(packageFile('dist', 'labs', 'picture', 'layout-worker.js'));

/** Lays out one topology at a time in a thread of its own, which is started when it is needed. */
export class LayoutThread {
  readonly #thread: Thread<LayoutTask, LayoutAnswer>;

  constructor(options: LayoutThreadOptions) {
    this.#thread = new Thread({
      program: builtProgram,
      timeoutMs: longestMs,
      memoryMb: mostMemoryMb,
      ...options,
    });
  }

  /** @throws AppError `not-supported` when it takes too long or too much memory; `shutting-down`. */
  async layOut(task: LayoutTask): Promise<Placed> {
    const answer = await this.#thread.ask(task).catch((error: unknown) => {
      throw error instanceof ThreadFailure ? refusalOf(error) : error;
    });
    if (answer.kind === 'placed') return answer.placed;
    throw new Error(`the picture cannot be laid out: ${answer.message}`);
  }
}

function refusalOf(failure: ThreadFailure): Error {
  switch (failure.loss) {
    case 'shutdown':
      return new AppError('shutting-down', 'The server is shutting down');
    case 'broken':
      return new Error(`the thread that lays out pictures: ${failure.message}`, { cause: failure });
    case 'time':
      return tooMuch(failure, failure.message.replace('it took ', ''));
    case 'memory':
      return tooMuch(failure, 'more memory than it may have');
  }
}

function tooMuch(cause: ThreadFailure, what: string): AppError {
  const message = `to lay out the picture of this lab takes ${what}: draw a part of it, or give positions with PUT …/layout`;
  return new AppError('not-supported', message, { cause });
}
