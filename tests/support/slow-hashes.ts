/** Password checks whose hashes take until a test lets them end. */
import { expect, jest } from '@jest/globals';
import type { KeptPassword } from '../../src/access/model/user.ts';
import { PasswordChecks } from '../../src/access/passwords/password-checks.ts';
import { deferred, type Deferred } from '../../src/lib/async/deferred.ts';

export const kept = (hash: string): KeptPassword => ({ kind: 'hash', hash });
const decoy = kept('decoy');

/** Everything that promises can do by themselves has been done. */
export const settled = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Hashes that take until somebody lets them end: by name of the hash and password, in the order of their starts. */
class SlowHashes {
  readonly started: string[] = [];
  readonly #running: Deferred<boolean>[] = [];

  readonly isPassword = async (of: KeptPassword, text: string): Promise<boolean> => {
    this.started.push(`${of.kind === 'hash' ? of.hash : ''} ${text}`);
    const end = deferred<boolean>();
    this.#running.push(end);
    await end.promise;
    return text === 'right';
  };

  get running(): number {
    return this.#running.length;
  }

  /** Ends the one that has run for the longest time. */
  async end(): Promise<void> {
    this.#running.shift()?.resolve(true);
    await settled();
  }

  async endAll(): Promise<void> {
    while (this.running > 0) await this.end();
  }
}

export function checksOf({ hasDecoy = true } = {}) {
  const hashes = new SlowHashes();
  const checks = new PasswordChecks({
    isPassword: hashes.isPassword,
    decoy: () => (hasDecoy ? decoy : undefined),
  });
  /** Of a user, whose hash has the same name; null for a name that nobody has. */
  const ask = (name: string, password: string, address: string, user: string | null = name) =>
    checks.check({ name, password, address, kept: user === null ? null : kept(user) });
  /** The user logs in from there, and is trusted from now on. */
  const logIn = async (name: string, address: string): Promise<void> => {
    const verdict = ask(name, 'right', address);
    await settled();
    await hashes.endAll();
    expect(await verdict).toBe('right');
    // A little later, when the verdict is forgotten.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 301_000);
    hashes.started.length = 0;
  };
  return { hashes, checks, ask, logIn };
}
