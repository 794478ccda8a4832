/**
 * Takes down labs whose lease has ended, warns before, and tries again after a failure. A lab is taken down only if the status
 * shows that the `up` of the lease started it: a lab that was stopped meanwhile and started again by another user
 * has no lease.
 */
import type { Job } from '../jobs/model/job.ts';
import { messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import type { LeaseBook } from './lease-book.ts';
import type { LeaseJobs } from './lease-jobs.ts';
import { startsLab } from './lease-limits.ts';
import { afterFailure, dueWarning, isDue, isOver, type Lease } from './lease.ts';
import { labIn, type LeaseLabs } from './seen-labs.ts';
import type { WallClock } from '../lib/wall-clock.ts';

/** A change of a lease, for the event feed. */
type LeaseNews =
  | { readonly change: 'expiring'; readonly expiresAt: string }
  | { readonly change: 'expired'; readonly expiresAt: string; readonly jobId: string }
  | {
      readonly change: 'expiry-failed';
      readonly expiresAt: string;
      /** Null when no job could be queued. */
      readonly jobId: string | null;
      readonly why: string;
      readonly nextTryAt: string;
    };

export interface LeaseEndingsDeps {
  readonly book: LeaseBook;
  readonly jobs: Pick<LeaseJobs, 'unfinished' | 'takeDown'>;
  readonly labs: LeaseLabs;
  readonly tell: (lab: Pick<Lease, 'instance' | 'cli' | 'workdir'>, news: LeaseNews) => void;
  readonly clock: WallClock;
  readonly log: Logger;
}

export class LeaseEndings {
  readonly #deps: LeaseEndingsDeps;
  #isOpen = true;

  constructor(deps: LeaseEndingsDeps) {
    this.#deps = deps;
  }

  /** Queues nothing from now on. */
  close(): void {
    this.#isOpen = false;
  }

  /** Does what is due about every lease now. Never rejects. */
  async endThoseOver(): Promise<void> {
    const { book } = this.#deps;
    for (const { workdir } of book.leases) {
      // As it is now: to look at the one before may have taken long.
      const lease = book.leaseIn(workdir);
      if (lease === undefined) continue;
      if (!this.#isOpen) return;
      this.#warn(lease);
      if (isDue(lease, this.#nowMs)) await this.#end(lease);
    }
  }

  /** Why the `down` of a lease must not start now; undefined when it may. */
  async whyObsolete({ leaseOf, workdir }: Pick<Job, 'leaseOf' | 'workdir'>): Promise<string | undefined> {
    if (leaseOf === null) return undefined;
    const lease = this.#deps.book.leaseIn(workdir);
    if (lease?.job !== leaseOf) return 'the lease of the lab has ended';
    if (!isOver(lease, this.#nowMs)) return `the lab may live until ${lease.expiresAt}`;
    try {
      return (await this.#isThere(lease)) ? undefined : 'the lab of the lease is not there any more';
    } catch (error) {
      return `it is unknown whether the lab is still the one that ${leaseOf} started: ${messageOf(error)}`;
    }
  }

  /** Notes that the lab could not be taken down, and has it tried again later. */
  noteFailure(lease: Lease, why: string, jobId: string | null): void {
    const { book, log, tell } = this.#deps;
    const failed = afterFailure(lease, why, this.#nowMs);
    book.put(failed);
    void book.saveSoon();
    const { instance, expiresAt, tries } = failed;
    const nextTryAt = failed.nextTryAt ?? expiresAt;
    log.warn('a lab whose lease is over cannot be taken down', { instance, why, tries, nextTryAt });
    tell(failed, { change: 'expiry-failed', expiresAt, jobId, why, nextTryAt });
  }

  #warn(lease: Lease): void {
    const minutes = dueWarning(lease, this.#nowMs);
    if (minutes === null) return;
    this.#deps.tell(lease, { change: 'expiring', expiresAt: lease.expiresAt });
    this.#deps.book.put({ ...lease, warnedMinutes: minutes });
    void this.#deps.book.saveSoon();
  }

  async #end(lease: Lease): Promise<void> {
    const { book, jobs, log, tell } = this.#deps;
    if (this.#isBusy(lease)) return;
    try {
      if (!(await this.#isThere(lease))) return;
      // Meanwhile a user may have extended the lease or begun to start the lab again.
      const now = book.leaseIn(lease.workdir);
      if (now?.job !== lease.job || !isDue(now, this.#nowMs) || this.#isBusy(now) || !this.#isOpen) return;
      const { id: jobId } = await jobs.takeDown(now);
      const { instance, expiresAt, tries } = now;
      log.info('the lease of a lab is over: it is taken down', { instance, job: jobId, up: now.job });
      if (tries === 0) tell(now, { change: 'expired', expiresAt, jobId });
    } catch (error) {
      this.noteFailure(book.leaseIn(lease.workdir) ?? lease, messageOf(error), null);
    }
  }

  /** Whether its `down` waits or runs, or an `up` of the directory does: how long the lab lives then is not known before. */
  #isBusy({ job, workdir }: Lease): boolean {
    return this.#deps.jobs
      .unfinished()
      .some((other) => other.leaseOf === job || (other.workdir === workdir && startsLab(other)));
  }

  /** Whether the lab is the one that the `up` of the lease started; if not, the lease ends here. @throws AppError when that is unknown. */
  async #isThere(lease: Lease): Promise<boolean> {
    const { book, labs, log } = this.#deps;
    const lab = labIn(lease.workdir, await labs.list(true, lease.cli));
    if (lab?.run === lease.run) return true;
    const { instance, workdir } = lease;
    const why = lab ? 'it was started anew, not by the job of the lease' : 'it was stopped';
    log.info('the lease of a lab ends, and nothing is taken down', { instance, workdir, why });
    book.drop(lease);
    void book.saveSoon();
    return false;
  }

  get #nowMs(): number {
    return this.#deps.clock.nowMs();
  }
}
