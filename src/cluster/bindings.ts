/** Which host has a directory or a workspace: made once, at the first job or upload there, and the same for all who ask. */
import { createHash } from 'node:crypto';
import { keys } from './keys.ts';
import { resultsOf, type RedisLink } from './redis-link.ts';

export type BoundKind = 'directory' | 'workspace';

/** An `Idempotency-Key`, and whose it is. */
export interface Key {
  readonly user: string | null;
  readonly key: string;
}

export interface Place {
  readonly kind: BoundKind;
  readonly name: string;
}

/** Releases a place that was bound to a host that did not get the job, unless another host has the place by now. */
const releaseScript = `
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then return redis.call('HDEL', KEYS[1], ARGV[1]) end
return 0`;

/** Of two who find that a host is known no more, one has what was its. */
const takeOverScript = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`;

const disclaimScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/** Longer than hosts remember keys (docs/api.md): a repeated request reaches the host that may know it. */
const claimMs = 48 * 3_600_000;

const claimsAtOnce = 500;

/** The name of a request with an `Idempotency-Key`. */
export function digestOf({ user, key }: Key): string {
  return createHash('sha256')
    .update(JSON.stringify([user, key]))
    .digest('hex');
}

/** The host that has the place or key, and whether this call bound it. */
interface Held {
  readonly holder: string;
  readonly isNew: boolean;
}

export class Bindings {
  readonly #link: RedisLink;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  /** The id of the host; null when no host has it. @throws AppError `cluster-unavailable`, as all methods here. */
  async hostOf(kind: BoundKind, name: string): Promise<string | null> {
    return this.#link.ask(async (redis) => redis.hget(keys.bindings, `${kind} ${name}`));
  }

  /** Binds what is free to `host`; the host that has it then. */
  async bind(kind: BoundKind, name: string, host: string): Promise<Held> {
    const field = `${kind} ${name}`;
    const isNew = await this.#link.ask(async (redis) => redis.hsetnx(keys.bindings, field, host));
    if (isNew === 1) return { holder: host, isNew: true };
    return { holder: (await this.hostOf(kind, name)) ?? host, isNew: false };
  }

  async release(kind: BoundKind, name: string, host: string): Promise<void> {
    await this.#link.ask(async (redis) =>
      redis.eval(releaseScript, 1, keys.bindings, `${kind} ${name}`, host),
    );
  }

  /** Gives a request with an `Idempotency-Key` to `host`, unless it was given to one before; the host that has it then. */
  async claim(digest: string, host: string): Promise<Held> {
    const key = keys.claim(digest);
    const made = await this.#link.ask(async (redis) => redis.set(key, host, 'PX', claimMs, 'NX'));
    if (made === 'OK') return { holder: host, isNew: true };
    return { holder: (await this.claimedBy(digest)) ?? host, isNew: false };
  }

  /** The id of the host that was given this request before; null when none was. */
  async claimedBy(digest: string): Promise<string | null> {
    return this.#link.ask(async (redis) => redis.get(keys.claim(digest)));
  }

  /** Claims what `host` has taken before. */
  async claimAll(digests: readonly string[], host: string): Promise<void> {
    for (let at = 0; at < digests.length; at += claimsAtOnce)
      await this.#link.ask(async (redis) => {
        const commands = redis.pipeline();
        for (const digest of digests.slice(at, at + claimsAtOnce))
          commands.set(keys.claim(digest), host, 'PX', claimMs, 'NX');
        return resultsOf(await commands.exec());
      });
  }

  /** As `release`, of a claim. */
  async disclaim(digest: string, host: string): Promise<void> {
    await this.#link.ask(async (redis) => redis.eval(disclaimScript, 1, keys.claim(digest), host));
  }

  /** Binds what a forgotten host had to another host, unless a third host was quicker. */
  async takeOver(kind: BoundKind, name: string, from: string, to: string): Promise<void> {
    const field = `${kind} ${name}`;
    await this.#link.ask(async (redis) => redis.eval(takeOverScript, 1, keys.bindings, field, from, to));
  }

  /** Frees all that a host has that will not come back. */
  async releaseAll(host: string): Promise<void> {
    const all = await this.#link.ask(async (redis) => redis.hgetall(keys.bindings));
    const fields = Object.entries(all).flatMap(([field, holder]) => (holder === host ? [field] : []));
    if (fields.length > 0) await this.#link.ask(async (redis) => redis.hdel(keys.bindings, ...fields));
  }
}
