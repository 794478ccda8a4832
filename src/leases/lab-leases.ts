/** The leases of the labs on this machine: joins what begins them, what ends them, and what clients change. */
import { isTerminal, type Job } from '../jobs/model/job.ts';
import type { JobRequest } from '../jobs/model/job-request.ts';
import { unknownInstance } from '../labs/drivers/status-failure.ts';
import type { KnownLab } from '../labs/status/lab-status.ts';
import { AppError } from '../lib/app-error.ts';
import { after, Disposer } from '../lib/async/disposal.ts';
import { endOf, LeaseBeginnings, leaseOf } from './lease-beginnings.ts';
import { LeaseBook } from './lease-book.ts';
import { LeaseEndings, type LeaseEndingsDeps } from './lease-endings.ts';
import type { LeaseJobs } from './lease-jobs.ts';
import { endMsOf, mayRestartLab, startsLab, stopsLab, ttlMsOf, type LeaseLimits } from './lease-limits.ts';
import type { LeaseService, LeaseChange, LeaseView, WantedEnd } from './lease-service.ts';
import { isOver, nextMoments, withEnd, type Lease } from './lease.ts';
import { startedBy, type SeenLab } from './seen-labs.ts';

interface LabLeasesDeps extends Omit<LeaseEndingsDeps, 'book' | 'jobs'> {
  readonly file: string;
  /** They may change. */
  readonly limits: LeaseLimits;
  readonly jobs: LeaseJobs;
}

/** The longest sleep before the next check: the clock may be set, the status may return, or a full disk may get space. */
const longestSleepMs = 30_000;

export class LabLeases implements LeaseService {
  readonly #deps: LabLeasesDeps;
  readonly #book: LeaseBook;
  readonly #beginnings: LeaseBeginnings;
  readonly #endings: LeaseEndings;
  readonly #disposer = new Disposer();
  #stopTimer = (): void => undefined;
  #isStarted = false;
  #looking: Promise<void> | undefined;
  #mustLookAgain = false;

  constructor(deps: LabLeasesDeps) {
    this.#deps = deps;
    const book = (this.#book = new LeaseBook(deps));
    this.#beginnings = new LeaseBeginnings({ ...deps, book });
    this.#endings = new LeaseEndings({ ...deps, book });
  }

  /** Call when the records of jobs were read and nothing was made of them yet. @throws Error when the disk refuses. */
  async open(): Promise<void> {
    await this.#book.load();
    this.#beginnings.open();
    this.#disposer.add(this.#deps.jobs.onEnd((job) => this.#noteEnd(job)));
  }

  /** Call when jobs may be queued: what was due meanwhile is done now. */
  start(): void {
    this.#isStarted = true;
    this.#disposer.add(() => this.#stopTimer());
    void this.look();
  }

  /** Queues nothing from now on. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#endings.close();
    this.#disposer.dispose();
    await this.#book.saveRest();
  }

  /** How long the lab of a request is to live, in ms; null for ever. @throws AppError `invalid-request`. */
  ttlMsOf(request: JobRequest, quotaMs?: number): number | null {
    return ttlMsOf(request, this.#limitsWith(quotaMs));
  }

  /** Notes how long the lab of a job is to live, before there is a record of the job. @throws AppError `storage-fault`. */
  async expect({ id: job, workdir }: Pick<Job, 'id' | 'workdir'>, ttlMs: number): Promise<void> {
    await this.#saved(
      () => this.#book.expect({ job, workdir, ttlMs, expiresAt: null, isMoment: false }),
      () => void this.#book.forget(job),
    );
  }

  /** There is no such job, or no lab of it. */
  forget(job: string): void {
    if (this.#book.forget(job)) void this.#book.saveSoon();
  }

  async whyObsolete(job: Job): Promise<string | undefined> {
    if (job.leaseOf === null) return undefined;
    // The job before it may have started the lab anew: it is the same lab then.
    await this.#beginnings.settled();
    return this.#endings.whyObsolete(job);
  }

  expiresAt({ directory, ...lab }: Pick<KnownLab, 'cli' | 'directory' | 'entry'>): string | null {
    if (directory === undefined) return null;
    const lease = this.#book.leaseIn(directory);
    if (lease && lease.run === this.#deps.labs.runOf(lab)) return lease.expiresAt;
    return this.#book.expectedIn(directory)?.expiresAt ?? null;
  }

  #limitsWith(quotaMs: number | undefined): LeaseLimits {
    const { defaultTtlMs, maxTtlMs } = this.#deps.limits;
    return { defaultTtlMs, maxTtlMs, quotaMs };
  }

  async change(id: string, end: WantedEnd, { cli, quotaMs }: LeaseChange = {}): Promise<LeaseView> {
    const labs = await this.#deps.labs.list(false, cli);
    const lab = labs.find((other) => other.id === id && (cli === undefined || other.cli === cli));
    if (lab === undefined) throw unknownInstance(id);
    this.#book.noteClock();
    const endMs = endMsOf(end, this.#limitsWith(quotaMs), this.#nowMs);
    const known = this.#leaseOf(lab) ?? (await this.#starterOf(lab));
    const up = 'job' in known ? known.job : known.id;
    const down = this.#deps.jobs.unfinished().find((job) => job.leaseOf === up);
    if (down !== undefined && down.state !== 'queued')
      throw new AppError('conflict', `the lab ${id} is being taken down by ${down.id}: its lease is over`);
    const expiresAt = endMs === null ? null : new Date(endMs).toISOString();
    await this.#replace(lab, known, { expiresAt, isMoment: end.kind === 'moment' });
    // After the change is on disk; and if it starts all the same in this moment, it finds that it is not wanted.
    if (down !== undefined) await this.#deps.jobs.cancel(down.id).catch(() => undefined);
    void this.look();
    return { id, workdir: lab.directory, jobId: up, expiresAt };
  }

  #leaseOf(lab: SeenLab): Lease | undefined {
    const lease = this.#book.leaseIn(lab.directory);
    return lease?.run === lab.run ? lease : undefined;
  }

  /** The `up` that starts the lab, or has started it. @throws AppError `conflict` when it was none of ours. */
  async #starterOf(lab: SeenLab): Promise<Job> {
    const { jobs } = this.#deps;
    const starting = jobs
      .unfinished()
      .find((job) => job.workdir === lab.directory && job.state !== 'queued' && startsLab(job));
    const starter = starting ?? (await jobs.lastOf(lab.directory));
    if (starting || (starter && startsLab(starter) && startedBy(starter, lab) === true))
      return starter as Job;
    const message = `the lab ${lab.id} was not started by this service, which will not take it down`;
    throw new AppError('conflict', message);
  }

  async #replace(
    lab: SeenLab,
    known: Lease | Job,
    { expiresAt, isMoment }: { readonly expiresAt: string | null; readonly isMoment: boolean },
  ): Promise<void> {
    const book = this.#book;
    const up = 'job' in known ? known.job : known.id;
    const [lease, expected] = [book.leaseIn(lab.directory), book.expectedOf(up)];
    const change = (): void => {
      if (expiresAt === null) {
        if (lease) book.drop(lease);
        if (expected) book.forget(expected.job);
      } else if ('job' in known) book.put(withEnd(known, { expiresAt, isMoment }, this.#nowMs));
      else if (isTerminal(known.state)) {
        book.forget(up);
        book.put(leaseOf(known, lab, { expiresAt, isMoment }, this.#nowMs));
      } else book.expect({ job: up, workdir: lab.directory, ttlMs: 1, expiresAt, isMoment });
    };
    const undo = (): void => {
      book.forget(up);
      if (expected) book.expect(expected);
      const made = book.leaseIn(lab.directory);
      if (lease) book.put(lease);
      else if (made?.job === up) book.drop(made);
    };
    await this.#saved(change, undo);
  }

  /** @throws AppError `storage-fault`; then nothing has changed. */
  async #saved(change: () => void, undo: () => void): Promise<void> {
    change();
    try {
      await this.#book.save();
    } catch (error) {
      undo();
      const message = 'how long the lab is to live cannot be written down at the moment';
      throw new AppError('storage-fault', message, { cause: error, retryAfterSeconds: 10 });
    }
  }

  #noteEnd(job: Job): void {
    this.#book.noteClock();
    const lease = this.#book.leaseIn(job.workdir);
    if (startsLab(job)) this.#noteStarted(job, lease);
    else if (stopsLab(job) && job.state === 'success') {
      if (lease) this.#book.drop(lease);
      void this.#book.saveSoon();
    } else if (lease && lease.job === job.leaseOf && isOver(lease, this.#nowMs))
      this.#endings.noteFailure(lease, job.error ?? `${job.id} was ${job.state}`, job.id);
    else if (lease && job.state === 'success' && mayRestartLab(job)) void this.#beginnings.carryOver(job);
    // A lease may have waited for the end of this job.
    if (lease) void this.look();
  }

  #noteStarted(job: Job, lease: Lease | undefined): void {
    const expected = this.#book.expectedOf(job.id);
    if (job.state !== 'success') this.forget(job.id);
    else if (expected) {
      // At once: clients that waited for the job ask for the expiry of its lab next.
      this.#book.expect({ ...expected, expiresAt: endOf(job, expected) });
      // And a look, not a nap: by then its time may be over already.
      void this.#beginnings.settle(job).then(async () => this.look());
    }
    // It was started anew, and to live without an end.
    else if (lease) {
      this.#book.drop(lease);
      void this.#book.saveSoon();
    }
  }

  /** Does all that is due now. Never rejects. */
  async look(): Promise<void> {
    this.#mustLookAgain = this.#looking !== undefined;
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
      if (this.#mustLookAgain) void this.look();
    });
    await this.#looking;
  }

  async #lookOnce(): Promise<void> {
    if (!this.#isStarted) return;
    const sinceMs = this.#nowMs;
    this.#book.noteClock();
    await this.#beginnings.settleRest();
    await this.#beginnings.settled();
    await this.#endings.endThoseOver();
    await this.#book.saveRest();
    this.#arm(sinceMs);
  }

  /** Schedules the next check. Leases that became due since the last check began (`sinceMs`) are checked at once. */
  #arm(sinceMs: number): void {
    this.#stopTimer();
    const { leases, expected } = this.#book;
    if (!this.#isStarted || leases.length + expected.length === 0) return;
    const nowMs = this.#nowMs;
    const next = leases.flatMap(nextMoments).filter((ms) => ms > sinceMs);
    const sleepMs = Math.min(longestSleepMs, ...next.map((ms) => ms - nowMs));
    this.#stopTimer = after(Math.max(0, sleepMs), () => void this.look());
  }

  get #nowMs(): number {
    return this.#deps.clock.nowMs();
  }
}
