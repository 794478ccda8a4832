import { createHmac, randomBytes } from 'node:crypto';
import { LruCache } from '../../lib/cache/lru-cache.ts';

const limit = 1_000;
/** A program that asks every second costs one hash in five minutes. */
const rightMs = 300_000;
const wrongMs = 10_000;

/** What was found out about passwords a short while ago, so that it need not be found out again. No password is kept. */
export class Verdicts {
  /** Of this process: whoever reads its memory later, without the key, can try no passwords on it. */
  readonly #key = randomBytes(32);
  // Apart, so that no flood of wrong ones pushes out those that are right.
  readonly #right = new LruCache<number>(limit);
  readonly #wrong = new LruCache<number>(limit);

  /** Stands for a password of a user against what is kept of it: another when the user's password changes. */
  keyOf(name: string, password: string, kept: string): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([name, password, kept]))
      .digest('base64');
  }

  get(key: string): boolean | undefined {
    const now = performance.now();
    if ((this.#right.get(key) ?? 0) > now) return true;
    return (this.#wrong.get(key) ?? 0) > now ? false : undefined;
  }

  set(key: string, isRight: boolean): void {
    const [verdicts, ms] = isRight ? [this.#right, rightMs] : [this.#wrong, wrongMs];
    verdicts.set(key, performance.now() + ms);
  }
}
