/**
 * Knows whether Redis has the state of all hosts. After Redis has lost its data, a host could bind a directory or a request a
 * second time. A mark identifies the data of Redis; after a new mark, no host binds anything before all known hosts have published
 * their state again or were removed. A host that has just started and knows no other waits as long as a lease.
 */
import { randomUUID } from 'node:crypto';
import { keys } from './keys.ts';
import type { Host } from './model/host.ts';
import type { RedisClock } from './redis-clock.ts';
import { resultsOf, type RedisLink } from './redis-link.ts';

/** As long as a host may say nothing before it is held to be away. */
const settledAfterMs = 15_000;

interface RestoreFromRedisDeps {
  readonly link: RedisLink;
  readonly clock: RedisClock;
  /** Whether this host was in a cluster before it was started. */
  readonly isReturning: () => boolean;
}

export class RestoreFromRedis {
  readonly #deps: RestoreFromRedisDeps;
  #mark: string | undefined;
  /** Hosts that were there before Redis lost its data, by id. */
  #remembered: ReadonlyMap<string, Host> = new Map();
  /** By the clock of Redis, in ms since 1970. */
  #settledAtMs = 0;
  #isChecked = false;

  constructor(deps: RestoreFromRedisDeps) {
    this.#deps = deps;
  }

  /** Redis may be another one than it was. */
  doubt(): void {
    this.#isChecked = false;
  }

  get isSettled(): boolean {
    return this.#isChecked && this.#settledAtMs === 0;
  }

  /** Those that Redis has not heard of again, as hosts that do not answer. */
  get missed(): readonly Host[] {
    return [...this.#remembered.values()].map((host) => ({ ...host, state: 'away' }));
  }

  /** Compares Redis with what it was; `known` are the hosts as they were before. @throws AppError `cluster-unavailable`. */
  async check(known: ReadonlyMap<string, Host>): Promise<void> {
    const { link, clock, isReturning } = this.#deps;
    const nowMs = clock.nowMs ?? 0;
    const fresh = `${randomUUID()} ${nowMs}`;
    const [, found] = await link.ask(async (redis) =>
      resultsOf(await redis.pipeline().set(keys.mark, fresh, 'NX').get(keys.mark).exec()),
    );
    const mark = String(found);
    const isOther = this.#mark === undefined ? isReturning() : mark !== this.#mark;
    this.#mark = mark;
    if (isOther) {
      this.#remembered = new Map([...this.#remembered, ...known]);
      this.#settledAtMs = Number(mark.split(' ')[1]) + settledAfterMs;
    }
    if (this.#settledAtMs !== 0) await this.#settle(nowMs);
    this.#isChecked = true;
  }

  async #settle(nowMs: number): Promise<void> {
    const ids = [...this.#remembered.keys()];
    const written =
      ids.length === 0 ? [] : await this.#deps.link.ask(async (redis) => redis.mget(ids.map(keys.written)));
    const isWhole = ids.length === 0 ? nowMs >= this.#settledAtMs : written.every((run) => run !== null);
    if (!isWhole) return;
    this.#settledAtMs = 0;
    this.#remembered = new Map();
  }
}
