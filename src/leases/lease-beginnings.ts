/** From an `up` with a time to live to the lease of its lab. */
import { isTerminal, type Job } from '../jobs/model/job.ts';
import { messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import { Mutex } from '../lib/async/mutex.ts';
import type { LeaseBook } from './lease-book.ts';
import type { LeaseJobs } from './lease-jobs.ts';
import { withEnd, type ExpectedLease, type Lease } from './lease.ts';
import { labIn, startedBy, type LeaseLabs, type SeenLab } from './seen-labs.ts';
import type { WallClock } from '../lib/wall-clock.ts';

interface LeaseBeginningsDeps {
  readonly book: LeaseBook;
  readonly jobs: Pick<LeaseJobs, 'get' | 'unfinished'>;
  readonly labs: LeaseLabs;
  readonly clock: WallClock;
  readonly log: Logger;
}

/** The lease of a lab that `job` has started. */
export function leaseOf(
  { id: job, action, workdir, labels }: Job,
  { id: instance, cli, run }: Pick<SeenLab, 'id' | 'cli' | 'run'>,
  end: Pick<Lease, 'expiresAt' | 'isMoment'>,
  nowMs: number,
): Lease {
  const untouched = { warnedMinutes: null, tries: 0, why: null, nextTryAt: null };
  return withEnd({ job, action, workdir, labels, instance, cli, run, ...end, ...untouched }, end, nowMs);
}

/** When the lab of an `up` that has ended is to be taken down. */
export function endOf({ createdAt, finishedAt }: Job, { ttlMs, expiresAt }: ExpectedLease): string {
  return expiresAt ?? new Date(Date.parse(finishedAt ?? createdAt) + ttlMs).toISOString();
}

export class LeaseBeginnings {
  readonly #deps: LeaseBeginningsDeps;
  /** One after the other, in the order in which their jobs ended: of two `up`s, the later one counts. */
  readonly #turn = new Mutex();
  /** The `up` jobs of an earlier service, whose labs were not watched since they ended. */
  readonly #unwatched = new Set<string>();

  constructor(deps: LeaseBeginningsDeps) {
    this.#deps = deps;
  }

  open(): void {
    for (const { job } of this.#deps.book.expected) this.#unwatched.add(job);
  }

  /** Begins the leases of labs that could not be looked for, and of `up`s that ended while the service was away. */
  async settleRest(): Promise<void> {
    const { book, jobs } = this.#deps;
    const unfinished = new Set(jobs.unfinished().map(({ id }) => id));
    for (const { job: id } of book.expected.filter(({ job }) => !unfinished.has(job))) {
      const job = await jobs.get(id).catch(() => 'unknown' as const);
      if (job === 'unknown' || (job && !isTerminal(job.state))) continue;
      // Its record is about to be written: what is known of it is on disk before.
      if (job === undefined && !this.#unwatched.has(id)) continue;
      if (job?.state === 'success') await this.settle(job);
      else if (book.forget(id)) await book.saveSoon();
    }
  }

  /** Begins the lease of the lab whose `up` has ended well. Never rejects; what fails is done by `settleRest`, later. */
  async settle(job: Job): Promise<void> {
    await this.#turn.run(async () => {
      const { book, log } = this.#deps;
      const expected = book.expectedOf(job.id);
      if (expected === undefined) return;
      try {
        await this.#begin(job, expected);
      } catch (error) {
        log.warn('the lab of a job cannot be looked for now', { job: job.id, cause: messageOf(error) });
      }
    });
  }

  /** Lets a lab keep its lease that a job of ours has started anew. Never rejects. */
  async carryOver(job: Job): Promise<void> {
    await this.#turn.run(async () => {
      const { book, labs, log } = this.#deps;
      try {
        const lab = labIn(job.workdir, await labs.list(true, job.cli));
        const lease = book.leaseIn(job.workdir);
        if (!lab || !lease || lab.run === lease.run || startedBy(job, lab) !== true) return;
        book.put({ ...lease, run: lab.run });
        await book.saveSoon();
      } catch (error) {
        log.warn('the lab of a job cannot be looked for now', { job: job.id, cause: messageOf(error) });
      }
    });
  }

  /** Resolves when all that has ended so far is noted. */
  async settled(): Promise<void> {
    await this.#turn.run(async () => Promise.resolve());
  }

  async #begin(job: Job, { job: id }: ExpectedLease): Promise<void> {
    const { book, labs, clock, log } = this.#deps;
    const seen = await labs.list(true, job.cli);
    // A user may have set another expiry meanwhile.
    const expected = book.expectedOf(id);
    if (expected === undefined) return;
    book.forget(id);
    const lab = labIn(job.workdir, seen);
    const isOurs = lab && !(this.#unwatched.has(id) && startedBy(job, lab) === false);
    if (isOurs) {
      const end = { expiresAt: endOf(job, expected), isMoment: expected.isMoment };
      book.put(leaseOf(job, lab, end, clock.nowMs()));
    } else log.info('a lab that was started is not there any more: it gets no lease', { job: id });
    this.#forgetGone(seen, job.cli);
    await book.saveSoon();
  }

  /** Of the lab CLI that was asked. */
  #forgetGone(seen: readonly SeenLab[], cli: string | null): void {
    const { book } = this.#deps;
    const leases = book.leases.filter((lease) => cli === null || lease.cli === cli);
    for (const lease of leases) if (labIn(lease.workdir, seen)?.run !== lease.run) book.drop(lease);
  }
}
