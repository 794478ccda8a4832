/** Writes all that this host knows to Redis, should it not have it: places, requests with keys, and a row for each job. */
import { AppError, messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import { digestOf, type Bindings, type BoundKind } from './bindings.ts';
import type { JobIndex } from './job-index.ts';
import { keys } from './keys.ts';
import type { RedisLink } from './redis-link.ts';

/** The state of this host. */
export interface OwnKnowledge {
  /** Every job there is, by id. */
  readonly jobIds: () => readonly string[];
  /** The directories and workspaces that are this host's own. */
  readonly places: () => Promise<readonly { readonly kind: BoundKind; readonly name: string }[]>;
  /** The requests with an `Idempotency-Key` that have made a job here. */
  readonly claims: () => readonly { readonly user: string | null; readonly key: string }[];
}

interface RepublishStateDeps {
  readonly ownId: () => string;
  /** Of this service. */
  readonly run: string;
  readonly own: OwnKnowledge;
  readonly link: RedisLink;
  readonly bindings: Bindings;
  readonly index: JobIndex;
  readonly log: Logger;
}

export class RepublishState {
  readonly #deps: RepublishStateDeps;
  /** Whether Redis has all that this host knows. */
  #isWritten = false;
  #doubts = 0;

  constructor(deps: RepublishStateDeps) {
    this.#deps = deps;
  }

  /** Redis may not have it any more. */
  doubt(): void {
    this.#isWritten = false;
    this.#doubts += 1;
  }

  /** Never rejects: what cannot be written now is written the next time. */
  async writeAll(): Promise<void> {
    if (await this.#isKept()) return;
    const { ownId, run, own, link, bindings, index, log } = this.#deps;
    this.#isWritten = true;
    const doubts = this.#doubts;
    try {
      // First what decides about new jobs.
      await bindings.claimAll(own.claims().map(digestOf), ownId());
      for (const { kind, name } of await own.places()) {
        const { holder } = await bindings.bind(kind, name, ownId());
        if (holder !== ownId())
          log.warn('another host has this too: requests about it go there', { [kind]: name, host: holder });
      }
      await index.rewrite(own.jobIds);
      // Redis was away meanwhile, and may have lost the first part.
      if (this.#doubts !== doubts) return;
      await link.ask(async (redis) => redis.set(keys.written(ownId()), run));
    } catch (error) {
      this.#isWritten = false;
      if (!(error instanceof AppError))
        log.error('jobs cannot be written to the index of the cluster', { cause: messageOf(error) });
    }
  }

  async #isKept(): Promise<boolean> {
    const { ownId, run, link, index } = this.#deps;
    if (!this.#isWritten) return false;
    await index.flush();
    const written = await link.ask(async (redis) => redis.get(keys.written(ownId()))).catch(() => run);
    return written === run;
  }
}
