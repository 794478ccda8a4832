/** Which hosts there are: tells of this one, and looks at what the others tell. */
import { EventEmitter, setMaxListeners } from 'node:events';
import { AppError, messageOf } from '../lib/app-error.ts';
import { after } from '../lib/async/disposal.ts';
import type { Logger } from '../lib/logger.ts';
import { HostName } from './host-name.ts';
import { keys } from './keys.ts';
import { hostRecordSchema, type Host, type HostRecord } from './model/host.ts';
import type { RestoreFromRedis } from './restore-from-redis.ts';
import type { RedisClock } from './redis-clock.ts';
import { resultsOf, type RedisLink } from './redis-link.ts';
import type { Signatures } from './signature.ts';

/** A host that tells nothing for so long is away. */
const leaseMs = 15_000;
const tellEveryMs = 5_000;
const lookEveryMs = 1_000;
/** With a thousand hosts, a look is a megabyte: it comes less often then. */
const lookMsPerHost = 20;

/** A look may take that long, while Redis is busy. */
const staleAfterMs = 10_000;

const forgetScript = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('SET', KEYS[4], 'forgotten', 'PX', ARGV[3])
redis.call('HDEL', KEYS[5], ARGV[1])
if redis.call('HGET', KEYS[3], ARGV[2]) == ARGV[1] then redis.call('HDEL', KEYS[3], ARGV[2]) end
return 1`;

/** The report of this host, without the fields that the registry knows. */
export type OwnFacts = Omit<HostRecord, 'id' | 'run' | 'startedAtMs' | 'seenAtMs'>;

interface RegistryDeps {
  readonly id: () => string;
  readonly run: string;
  readonly link: RedisLink;
  readonly clock: RedisClock;
  readonly signatures: Signatures;
  readonly restoreFromRedis: RestoreFromRedis;
  readonly facts: () => OwnFacts;
  readonly log: Logger;
}

interface RegistryEvents {
  /** Redis has taken what this host tells of itself. */
  readonly told: [];
  /** Another run of this very host is newer: this one is the host no more. */
  readonly ousted: [];
}

export class Registry extends EventEmitter<RegistryEvents> {
  readonly #deps: RegistryDeps;
  /** By id. */
  #hosts = new Map<string, Host>();
  readonly #away = new Map<string, AbortController>();
  /** This one, as it was at the last look. */
  #own: { readonly facts: OwnFacts; readonly seenAtMs: number } | undefined;
  readonly #refused = new Set<string>();
  #startedAtMs: number | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;
  #isOusted = false;
  readonly #name: HostName;
  /** When Redis last told which hosts there are, of `performance.now()`. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #stopTimer = (): void => undefined;

  constructor(deps: RegistryDeps) {
    super();
    this.#deps = deps;
    const { link, id, facts } = deps;
    const nameIn = (signed: string | null) => this.#read(signed)?.name;
    this.#name = new HostName({ link, id, name: () => facts().name, nameIn });
  }

  /** As they were at the last look, by name. */
  get hosts(): readonly Host[] {
    const own = this.#ownHost();
    const all = [own, ...[...this.#hosts.values()].filter(({ id }) => id !== own.id)];
    return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** This host knows itself without Redis. */
  #ownHost(): Host {
    const { id, run } = this.#deps;
    const { facts, seenAtMs } = (this.#own ??= this.#lookAtOwn());
    const state = facts.isDraining ? 'draining' : 'up';
    const times = { startedAtMs: this.#startedAtMs ?? seenAtMs, seenAtMs };
    return { ...facts, ...times, id: id(), run, state, isThis: true };
  }

  /** Reading it needs files, and every request needs the hosts, so it is read as often as the other records. */
  #lookAtOwn(): { readonly facts: OwnFacts; readonly seenAtMs: number } {
    const { facts, clock } = this.#deps;
    return { facts: facts(), seenAtMs: clock.nowMs ?? Date.now() };
  }

  /** Those that answer, but for this one. */
  get peers(): readonly Host[] {
    return this.hosts.filter((host) => !host.isThis && host.state !== 'away');
  }

  /** Whether what is known of the others is of before: Redis is away, or says nothing. */
  get isStale(): boolean {
    return !this.#deps.link.isReady || performance.now() - this.#lookedAt > staleAfterMs;
  }

  /** Whether Redis has all that the hosts know. */
  get isSettled(): boolean {
    return this.#deps.restoreFromRedis.isSettled;
  }

  get isOusted(): boolean {
    return this.#isOusted;
  }

  /** By its id or its name. @throws AppError `host-not-found`, and `cluster-unavailable` when it may only not be known yet. */
  get(named: string): Host {
    const { hosts } = this;
    const host = hosts.find(({ id }) => id === named) ?? hosts.find(({ name }) => name === named);
    if (host) return host;
    if (!this.isSettled)
      throw new AppError('cluster-unavailable', `whether there is a host "${named}" is not known yet`, {
        retryAfterSeconds: 5,
      });
    const names = hosts.map(({ name }) => name).join(', ');
    throw new AppError('host-not-found', `there is no host "${named}"; there are ${names || 'none'}`);
  }

  /** Aborted when the host is found to be away. */
  awaySignal(id: string): AbortSignal {
    const known = this.#away.get(id);
    if (known) return known.signal;
    const controller = new AbortController();
    // Each request that is passed on to it listens.
    setMaxListeners(0, controller.signal);
    this.#away.set(id, controller);
    return controller.signal;
  }

  /**
   * Tells of this host for the first time, if Redis is there, and goes on with it.
   * @throws Error when another host has its name.
   */
  async open(): Promise<void> {
    await this.#name.claim().catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
    });
    await this.refresh();
    // The sooner it has all again, the sooner jobs are taken again.
    this.#deps.link.onReady(() => {
      this.#deps.restoreFromRedis.doubt();
      this.noteChange();
      void this.refresh();
    });
    const again = (): void => {
      if (this.#isClosed) return;
      this.#stopTimer = after(Math.max(lookEveryMs, this.#hosts.size * lookMsPerHost), () => {
        void this.refresh().then(again);
      });
    };
    again();
  }

  /** The record of this host has changed: the next round publishes it. */
  noteChange(): void {
    this.#toldAt = Number.NEGATIVE_INFINITY;
  }

  /** Publishes the own record if it is due, and reads all records. Never rejects: the next round repeats a failed write. */
  async refresh(): Promise<void> {
    this.#own = this.#lookAtOwn();
    const isDue = performance.now() - this.#toldAt >= tellEveryMs;
    // A Redis that takes nothing may still tell.
    for (const step of [async () => (isDue ? this.#tell() : undefined), async () => this.#look()]) {
      try {
        await step();
      } catch (error) {
        // The owner of the connection has reported that Redis does not answer.
        if (!(error instanceof AppError))
          this.#deps.log.error('the hosts of the cluster cannot be read', { cause: messageOf(error) });
      }
    }
  }

  /** Removes what is known of a host that will not come back; whether it is away indeed. */
  async forget({ id, name }: Host): Promise<boolean> {
    // After Redis has lost its data, no host waits for the removed host to publish its state.
    const places = [keys.lease(id), keys.hosts, keys.names, keys.written(id), keys.usage];
    const gone = await this.#deps.link.ask(async (redis) =>
      redis.eval(forgetScript, places.length, ...places, id, name, leaseMs),
    );
    return gone === 1;
  }

  /** Says good-bye: the others need not wait for the end of the lease. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    if (this.#isOusted) return;
    await this.#deps.link.ask(async (redis) => redis.del(keys.lease(this.#deps.id()))).catch(() => undefined);
  }

  #read(signed: string | null): HostRecord | undefined {
    if (signed === null) return undefined;
    return hostRecordSchema.safeParse(this.#deps.signatures.verify('host', signed)).data;
  }

  async #tell(): Promise<void> {
    const { link, clock, signatures, facts, run, log } = this.#deps;
    // Redis was away when this host was started.
    await this.#name.claim();
    const id = this.#deps.id();
    const toldAt = performance.now();
    const [time, before] = await link.ask(async (redis) =>
      resultsOf(await redis.pipeline().time().hget(keys.hosts, id).exec()),
    );
    const repliedMs = clock.set(time, toldAt);
    const seenAtMs = clock.nowMs ?? 0;
    // Not an estimate: after a slow reply, the next run of this host would seem to be the older one.
    this.#startedAtMs ??= repliedMs;
    const other = this.#read(before as string | null);
    if (other !== undefined && other.run !== run && other.startedAtMs > this.#startedAtMs) {
      if (this.#isOusted) return;
      this.#isOusted = true;
      log.error(
        'a newer run of this very host is in the cluster: is this data directory a copy? This one takes no work from others',
        {
          host: id,
          otherUrl: other.url,
        },
      );
      this.emit('ousted');
      return;
    }
    const record: HostRecord = { ...facts(), id, run, startedAtMs: this.#startedAtMs, seenAtMs };
    await link.ask(async (redis) =>
      resultsOf(
        await redis
          .pipeline()
          .hset(keys.hosts, id, signatures.sign('host', record))
          .hsetnx(keys.names, record.name, id)
          .set(keys.lease(id), run, 'PX', leaseMs)
          .exec(),
      ),
    );
    this.#toldAt = toldAt;
    this.emit('told');
  }

  /** Told once, and not with each look. */
  #refuse(id: string): void {
    if (this.#refused.has(id)) return;
    this.#refused.add(id);
    const message = 'a host in Redis is none: its record is not signed with the secret of this cluster';
    this.#deps.log.warn(message, { host: id });
  }

  async #look(): Promise<void> {
    const { link, restoreFromRedis, clock } = this.#deps;
    await restoreFromRedis.check(this.#hosts);
    const signed = await link.ask(async (redis) => redis.hgetall(keys.hosts));
    const records = Object.entries(signed).flatMap(([id, text]) => {
      const record = this.#read(text);
      if (record?.id === id) return [record];
      this.#refuse(id);
      return [];
    });
    const leases =
      records.length === 0
        ? []
        : await link.ask(async (redis) => redis.mget(records.map(({ id }) => keys.lease(id))));
    const own = this.#deps.id();
    this.#lookedAt = performance.now();
    this.#hosts = new Map([
      ...restoreFromRedis.missed.map((host): [string, Host] => [host.id, host]),
      ...records.map((record, at): [string, Host] => {
        const isHeld = leases[at] !== null && leases[at] !== undefined;
        // Old records are signed, too: a program that can write to Redis could bring back a host that is gone.
        const isUp = isHeld && (clock.nowMs ?? 0) - record.seenAtMs < 2 * leaseMs;
        const state = isUp ? (record.isDraining ? 'draining' : 'up') : 'away';
        return [record.id, { ...record, state, isThis: record.id === own }];
      }),
    ]);
    for (const [id, controller] of this.#away) {
      const host = this.#hosts.get(id);
      if (host !== undefined && host.state !== 'away') continue;
      this.#away.delete(id);
      controller.abort();
    }
  }
}
