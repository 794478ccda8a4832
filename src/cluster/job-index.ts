/**
 * A row for each job of each host, so that every host knows where a job is, and can describe it while its host is away. The jobs
 * directory of the host is the truth; rows follow it and are written again when Redis has lost them.
 */
import { AppError, messageOf } from '../lib/app-error.ts';
import { after } from '../lib/async/disposal.ts';
import type { Logger } from '../lib/logger.ts';
import { LruCache } from '../lib/cache/lru-cache.ts';
import { jobIdPattern } from '../jobs/model/job.ts';
import { keys } from './keys.ts';
import { jobRowSchema, type JobRow } from './model/job-row.ts';
import { resultsOf, type RedisLink } from './redis-link.ts';
import type { Signatures } from './signature.ts';

/** Changes that come within so long go to Redis together. */
const flushAfterMs = 20;
const rowsPerFlush = 500;
const knownPlaces = 100_000;

type Commands = ReturnType<Parameters<Parameters<RedisLink['ask']>[0]>[0]['multi']>;

interface JobIndexDeps {
  readonly ownId: () => string;
  readonly link: RedisLink;
  readonly signatures: Signatures;
  /** The job as it is now; undefined once it is removed. */
  readonly rowOf: (id: string) => JobRow | undefined;
  readonly log: Logger;
}

/** A page of rows begins before this id. */
interface RowPage {
  readonly cursor: string | undefined;
  readonly limit: number;
}

export class JobIndex {
  readonly #deps: JobIndexDeps;
  readonly #pending = new Set<string>();
  #places = new LruCache<string>(knownPlaces);
  #flushing: Promise<void> | undefined;
  #isDue = false;

  constructor(deps: JobIndexDeps) {
    this.#deps = deps;
  }

  /** A job of this host is new, has changed, or is removed. */
  note(id: string): void {
    this.#pending.add(id);
    if (this.#isDue) return;
    this.#isDue = true;
    after(flushAfterMs, () => {
      this.#isDue = false;
      void this.flush();
    });
  }

  /** Resolves when all that was noted is in Redis, or Redis has refused it: it is tried again then. Never rejects. */
  async flush(): Promise<void> {
    // Rows noted during a write go out with the next write.
    await this.#flushing;
    if (this.#pending.size > 0) this.#flushing ??= this.#write().finally(() => (this.#flushing = undefined));
    await this.#flushing;
  }

  async #write(): Promise<void> {
    const { link, log } = this.#deps;
    while (this.#pending.size > 0) {
      const ids = [...this.#pending].slice(0, rowsPerFlush);
      for (const id of ids) this.#pending.delete(id);
      try {
        await link.ask(async (redis) => {
          const commands = redis.multi();
          for (const id of ids) this.#replace(commands, id);
          return resultsOf(await commands.exec());
        });
      } catch (error) {
        for (const id of ids) this.#pending.add(id);
        if (!(error instanceof AppError))
          log.error('jobs cannot be written to the index', { cause: messageOf(error) });
        return;
      }
    }
  }

  #replace(commands: Commands, id: string): void {
    commands.zremrangebylex(keys.jobs(this.#deps.ownId()), `[${id} `, `(${id}!`);
    this.#add(commands, id);
  }

  #add(commands: Commands, id: string): void {
    const { ownId, rowOf, signatures } = this.#deps;
    const row = rowOf(id);
    const key = keys.jobs(ownId());
    if (row) commands.zadd(key, 0, `${id} ${signatures.sign('job', { ...row, host: ownId() })}`);
  }

  /**
   * Writes the rows of all jobs of this host, and removes all others. Other hosts find each job all the while.
   * @throws AppError `cluster-unavailable`.
   */
  async rewrite(ids: () => readonly string[]): Promise<void> {
    while (this.#flushing) await this.#flushing;
    const rewriting = this.#replaceAll(ids().toSorted());
    // `flush` waits for it, and must not reject.
    this.#flushing = rewriting.catch(() => undefined).finally(() => (this.#flushing = undefined));
    await rewriting;
  }

  async #replaceAll(ids: readonly string[]): Promise<void> {
    const { ownId, link } = this.#deps;
    let from = '-';
    for (let at = 0; at === 0 || at < ids.length; at += rowsPerFlush) {
      const part = ids.slice(at, at + rowsPerFlush);
      const end = `${part.at(-1) ?? ''}!`;
      const to = at + rowsPerFlush < ids.length ? `(${end}` : '+';
      const begin = from;
      await link.ask(async (redis) => {
        const commands = redis.multi().zremrangebylex(keys.jobs(ownId()), begin, to);
        for (const id of part) this.#add(commands, id);
        return resultsOf(await commands.exec());
      });
      from = `[${end}`;
    }
  }

  /** Remembers the host of a job. */
  noteAt(id: string, host: string): void {
    this.#places.set(id, host);
  }

  /** The id of the host that has a job; undefined when none has. @throws AppError `cluster-unavailable`. */
  async hostOf(id: string): Promise<string | undefined> {
    // Anything else would be part of the range that is asked for.
    if (!jobIdPattern.test(id)) return undefined;
    const known = this.#places.get(id);
    if (known !== undefined) return known;
    const hosts = await this.#deps.link.ask(async (redis) => redis.hkeys(keys.hosts));
    const rows = await this.#deps.link.ask(async (redis) => {
      const commands = redis.pipeline();
      for (const host of hosts) commands.zlexcount(keys.jobs(host), `[${id} `, `(${id}!`);
      return resultsOf(await commands.exec());
    });
    const found = hosts.find((_, at) => Number(rows[at]) > 0);
    if (found !== undefined) this.noteAt(id, found);
    return found;
  }

  /** The row of a job whose host is away. @throws AppError `cluster-unavailable`. */
  async row(id: string, host: string): Promise<JobRow | undefined> {
    const [found] = await this.#deps.link.ask(async (redis) =>
      redis.zrangebylex(keys.jobs(host), `[${id} `, `(${id}!`, 'LIMIT', 0, 1),
    );
    return found === undefined ? undefined : this.#read(found, host);
  }

  /** Rows of a host, newest first. @throws AppError `cluster-unavailable`. */
  async rows(host: string, { cursor, limit }: RowPage): Promise<readonly JobRow[]> {
    const before = cursor === undefined ? '+' : `(${cursor}`;
    const found = await this.#deps.link.ask(async (redis) =>
      redis.zrevrangebylex(keys.jobs(host), before, '-', 'LIMIT', 0, limit),
    );
    return found.flatMap((text) => this.#read(text, host) ?? []);
  }

  async forget(host: string): Promise<void> {
    await this.#deps.link.ask(async (redis) => redis.del(keys.jobs(host), keys.written(host)));
    this.#places = new LruCache(knownPlaces);
  }

  #read(text: string, host: string): JobRow | undefined {
    const value = this.#deps.signatures.verify('job', text.slice(text.indexOf(' ') + 1));
    const row = jobRowSchema.safeParse(value).data;
    return row?.host === host ? row : undefined;
  }
}
