import { AppError } from '../../lib/app-error.ts';
import { Counts } from '../../lib/async/counts.ts';
import { Semaphore } from '../../lib/async/semaphore.ts';

/** Fewer than the uploads that may come at once, so that these have room beside them. */
const atOnce = 8;
/** Those that run, too. Each holds a connection. */
const maxPerUser = 32;

/** The restores of all snapshots. The students of a class ask at once: they wait for each other, and are not refused. */
export class RestoreTurns {
  readonly #places = new Semaphore(atOnce);
  readonly #asked = new Counts();

  /** @throws AppError `queue-full` when the user waits for many already; the reason of `signal`; what `restore` throws. */
  async run<T>(user: string | null, restore: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const key = user ?? '';
    if (this.#asked.of(key) >= maxPerUser)
      throw new AppError(
        'queue-full',
        `${maxPerUser} restores of one user are under way or wait; try again later, or start many labs with "copies"`,
        { retryAfterSeconds: 10 },
      );
    const leave = this.#asked.add(key);
    return this.#places.run(restore, signal).finally(leave);
  }
}
