/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a client that got no reply asks again with the same key
 * and gets the job that its first request made. The keys are kept in the jobs' records, so they survive a restart and
 * go with their job; here they are only indexed.
 */
import { AppError } from '../../lib/app-error.ts';
import type { Job } from '../model/job.ts';
import { keepKeysMs, type IdempotencyClaim } from '../model/idempotency-claim.ts';
import type { JobSummary } from '../store/job-summary.ts';
import type { JobStore } from '../store/job-store.ts';

interface Claimed {
  readonly jobId: string;
  readonly fingerprint: string;
  readonly expiresMs: number;
}

interface OnceResult {
  readonly job: Job;
  /** Whether the job was there already. */
  readonly isReplayed: boolean;
}

type ClaimedJob = Pick<JobSummary, 'id' | 'createdAt' | 'requestedBy' | 'idempotency'>;

function slotOf(user: string | null, key: string): string {
  return JSON.stringify([user, key]);
}

function keyReused(key: string, jobId: string): AppError {
  const message = `the Idempotency-Key ${JSON.stringify(key)} belongs to another request, which made ${jobId}`;
  return new AppError('idempotency-key-reused', message, { extra: { jobId } });
}

export class IdempotencyKeys {
  readonly #store: JobStore;
  /** By slot, oldest job first. */
  readonly #claimed = new Map<string, Claimed>();
  /** Requests under way, by slot; they never reject. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(store: JobStore) {
    this.#store = store;
  }

  /** Takes the keys of the jobs there are, oldest first. Call once, when the records are loaded. */
  load(jobs: Iterable<ClaimedJob>): void {
    for (const job of jobs) this.#remember(job);
  }

  /**
   * Makes a job, unless this claim has made one in the last 24 hours that still exists. A duplicate that comes while the
   * first request is under way waits for it; when that one fails, the key is free and the next has its turn.
   * @throws AppError `idempotency-key-reused` when the key stands for another request, or what `make` throws.
   */
  async once(claim: IdempotencyClaim, make: () => Promise<Job>): Promise<OnceResult> {
    const slot = slotOf(claim.user, claim.key);
    for (;;) {
      const claimed = this.#current(slot);
      // From this look to `#underWay.set` below nothing else runs: of many requests that waited, one goes on.
      const earlier = this.#underWay.get(slot);
      if (!claimed && !earlier) break;
      if (!claimed) await earlier;
      else if (claimed.fingerprint !== claim.fingerprint) throw keyReused(claim.key, claimed.jobId);
      else {
        const job = await this.#store.get(claimed.jobId);
        // Without a job, it was removed in this moment: look again.
        if (job) return { job, isReplayed: true };
      }
    }
    const making = make();
    const settled = making
      .then(
        (job) => this.#remember(job),
        () => undefined,
      )
      .finally(() => this.#underWay.delete(slot));
    this.#underWay.set(slot, settled);
    return { job: await making, isReplayed: false };
  }

  /** The job of the key; undefined for a key that has expired or whose job was removed. */
  #current(slot: string): Claimed | undefined {
    const claimed = this.#claimed.get(slot);
    if (!claimed) return undefined;
    if (Date.now() < claimed.expiresMs && this.#store.summary(claimed.jobId)) return claimed;
    this.#claimed.delete(slot);
    return undefined;
  }

  #remember({ id, createdAt, requestedBy, idempotency }: ClaimedJob): void {
    this.#dropOutdated();
    // A clock that was ahead when the job was made, and was mended since, must not lengthen the life of its key.
    const expiresMs = Math.min(Date.parse(createdAt), Date.now()) + keepKeysMs;
    if (idempotency === null || expiresMs <= Date.now()) return;
    const { key, fingerprint } = idempotency;
    this.#claimed.set(slotOf(requestedBy, key), { jobId: id, fingerprint, expiresMs });
  }

  /** From the oldest on, up to one that counts: keys expire, and jobs are removed, in this order. */
  #dropOutdated(): void {
    for (const [slot, { jobId, expiresMs }] of this.#claimed) {
      if (expiresMs > Date.now() && this.#store.summary(jobId)) return;
      this.#claimed.delete(slot);
    }
  }
}
