/** The connection to Redis, as far as the rest of the cluster has to know that it may be gone. */
import { once } from 'node:events';
import { Redis, type RedisOptions } from 'ioredis';
import { AppError, messageOf } from '../lib/app-error.ts';
import { inTime } from '../lib/async/in-time.ts';
import type { Logger } from '../lib/logger.ts';

const commandTimeoutMs = 3_000;
/** A library may wait for a connection by itself, and for ever. */
const answerMs = 5_000;
const refusalEveryMs = 60_000;
const retryMostMs = 2_000;

const options = {
  connectTimeout: commandTimeoutMs,
  retryStrategy: (times: number) => Math.min(times * 100, retryMostMs),
} satisfies RedisOptions;

export class RedisLink {
  readonly #url: string;
  readonly #log: Logger;
  readonly #redis: Redis;
  readonly #others: Redis[] = [];
  #isAway = false;
  #refusalToldAt = Number.NEGATIVE_INFINITY;

  constructor(url: string, log: Logger) {
    this.#url = url;
    this.#log = log;
    // No caller waits for Redis: a command that cannot be sent now fails at once, and its caller decides.
    this.#redis = new Redis(url, {
      ...options,
      commandTimeout: commandTimeoutMs,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      lazyConnect: true,
    });
    this.#redis.on('error', (error) => this.#noteAway(error));
    this.#redis.on('ready', () => this.#noteBack());
  }

  /** Begins to connect, and goes on with it for ever. Resolves when that has worked, or failed once. */
  async open(): Promise<void> {
    if (this.#redis.status === 'wait') {
      await this.#redis.connect().catch((error: unknown) => this.#noteAway(error));
      return;
    }
    // An earlier command has begun to connect; the listeners above report the outcome.
    if (!this.isReady) await inTime(once(this.#redis, 'ready'), answerMs, 'late').catch(() => undefined);
  }

  /** Calls `listener` each time that Redis is there again. */
  onReady(listener: () => void): void {
    this.#redis.on('ready', listener);
  }

  /** Whether a question would be sent; whether it is answered is another matter. */
  get isReady(): boolean {
    return this.#redis.status === 'ready';
  }

  /** @throws AppError `cluster-unavailable` when Redis does not answer. */
  async ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      return await inTime(question(this.#redis), answerMs, 'no answer in time');
    } catch (cause) {
      this.#noteRefusal(cause);
      // Its client only says that a stream is not writeable.
      const reason = this.isReady ? messageOf(cause) : 'there is no connection to it';
      throw new AppError(
        'cluster-unavailable',
        `Redis cannot be asked, and with it the other hosts cannot be found: ${reason}`,
        {
          cause,
          retryAfterSeconds: 5,
        },
      );
    }
  }

  /** The connection for short questions: what cannot be sent now fails at once. */
  get shared(): Redis {
    return this.#redis;
  }

  /** A connection of one's own, for what keeps one busy: it waits for Redis without end. */
  another(): Redis {
    const redis = new Redis(this.#url, { ...options, maxRetriesPerRequest: null });
    // Told once, by the connection above.
    redis.on('error', () => undefined);
    this.#others.push(redis);
    return redis;
  }

  close(): void {
    for (const redis of [this.#redis, ...this.#others]) redis.disconnect();
  }

  /** It answers, and takes nothing: it is full, say, or a replica. */
  #noteRefusal(error: unknown): void {
    // Silence is another matter: the connection is found to be lost, or goes on. Nor is one that reads its data refusing.
    const isRefusal =
      error instanceof Error && error.name === 'ReplyError' && !error.message.startsWith('LOADING');
    if (!isRefusal) return;
    const now = performance.now();
    if (now - this.#refusalToldAt < refusalEveryMs) return;
    this.#refusalToldAt = now;
    this.#log.error('Redis refuses what this host asks of it', { cause: messageOf(error) });
  }

  #noteAway(error: unknown): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#log.error('Redis is away: jobs and labs of other hosts cannot be reached', {
      cause: messageOf(error),
    });
  }

  #noteBack(): void {
    if (this.#isAway) this.#log.info('Redis is there again');
    this.#isAway = false;
  }
}

/** The replies to a pipeline, command by command. @throws Error of the first that failed. */
export function resultsOf(replies: readonly (readonly [Error | null, unknown])[] | null): readonly unknown[] {
  return (replies ?? []).map(([error, value]) => {
    if (error) throw error;
    return value;
  });
}
