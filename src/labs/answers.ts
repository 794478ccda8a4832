/** The answers of several lab CLIs that are asked the same at once: one that fails or hangs must not hide those of the others. */
import { AppError } from '../lib/app-error.ts';
import { settledWithin } from '../lib/async/settled-within.ts';
import type { CliLabs } from './cli-labs.ts';

/** An answer about all labs waits so long for each lab CLI. */
export const usualPatienceMs = 5_000;

/** The error of one of several lab CLIs, with the name of that lab CLI in its sentence. */
export function withName(error: unknown, { name }: CliLabs): Error {
  if (!(error instanceof AppError)) return error instanceof Error ? error : new Error(String(error));
  const { code, cause, errors, extra, retryAfterSeconds } = error;
  return new AppError(code, `${name}: ${error.message}`, {
    cause,
    errors,
    extra,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

export class Patience {
  readonly #ms: number;
  /** The unanswered questions of each lab CLI, oldest first. */
  readonly #open = new Map<CliLabs, Set<{ readonly sinceMs: number }>>();

  constructor(ms = usualPatienceMs) {
    this.#ms = ms;
  }

  /**
   * The value; undefined when it rejects, or is not there in time. While a lab CLI hangs, only the first question waits: time
   * counts from its oldest question without an answer.
   */
  async settled<T>(labs: CliLabs, asked: Promise<T>): Promise<T | undefined> {
    const open = this.#open.get(labs) ?? new Set();
    this.#open.set(labs, open);
    const question = { sinceMs: performance.now() };
    open.add(question);
    const end = (): void => void open.delete(question);
    asked.then(end, end);
    const [{ sinceMs } = question] = open;
    return settledWithin(asked, Math.max(0, sinceMs + this.#ms - performance.now()));
  }

  /** The answers that are there in time; if there is none, the first one. @throws AppError when all fail. */
  async answers<T>(
    members: readonly CliLabs[],
    ask: (labs: CliLabs) => Promise<T>,
  ): Promise<ReadonlyMap<CliLabs, T>> {
    const told = new Map<CliLabs, T>();
    const asked = members.map(async (labs) => {
      try {
        told.set(labs, await ask(labs));
      } catch (error) {
        throw members.length === 1 ? error : withName(error, labs);
      }
    });
    if (members.length > 1)
      await Promise.all(
        members.map(async (labs, index) => this.settled(labs, asked[index] as Promise<void>)),
      );
    if (told.size === 0)
      await Promise.any(asked).catch(async () => {
        await Promise.all(asked);
      });
    // Answers that come later are not to get into it.
    return new Map(told);
  }
}
