/** The leases of this service, in memory and on disk. */
import { messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import { JsonFile } from '../lib/files/json-file.ts';
import * as z from 'zod';
import {
  expectedLeaseSchema,
  leaseSchema,
  withClockSet,
  withEndMoved,
  type ExpectedLease,
  type Lease,
} from './lease.ts';
import { clockSetBy, type ClockMark, type WallClock } from '../lib/wall-clock.ts';

const contentSchema = z.object({
  clock: z.object({ bootId: z.string(), bootMs: z.number() }),
  expected: z.array(expectedLeaseSchema),
  leases: z.array(leaseSchema),
});

type LeaseContent = Readonly<z.infer<typeof contentSchema>>;

interface LeaseBookDeps {
  readonly file: string;
  readonly clock: WallClock;
  readonly log: Logger;
}

export class LeaseBook {
  readonly #deps: LeaseBookDeps;
  /** All leases in one file. If it cannot be read, its labs do not expire, and an error is logged. */
  readonly #file: JsonFile<LeaseContent>;
  /** By directory: a lab lives in exactly one. */
  readonly #leases = new Map<string, Lease>();
  /** By the id of the `up`. */
  readonly #expected = new Map<string, ExpectedLease>();
  #mark: ClockMark;
  #isFailing = false;

  constructor(deps: LeaseBookDeps) {
    this.#deps = deps;
    this.#file = new JsonFile({
      file: deps.file,
      parse: (value) => contentSchema.parse(value),
      onDamage: (details) =>
        deps.log.error(
          'the leases cannot be understood and were set aside: no lab is taken down by them',
          details,
        ),
    });
    this.#mark = deps.clock.mark();
  }

  /** @throws Error when the disk refuses. */
  async load(): Promise<void> {
    const content = await this.#file.load();
    if (content === undefined) return;
    for (const lease of content.leases) this.#leases.set(lease.workdir, lease);
    for (const expected of content.expected) this.#expected.set(expected.job, expected);
    if (content.clock.bootId === this.#mark.bootId) this.#mark = content.clock;
    this.noteClock();
  }

  get leases(): readonly Lease[] {
    return [...this.#leases.values()];
  }

  get expected(): readonly ExpectedLease[] {
    return [...this.#expected.values()];
  }

  leaseIn(workdir: string): Lease | undefined {
    return this.#leases.get(workdir);
  }

  /** The expected lease of a lab whose `up` has just ended or still runs. */
  expectedIn(workdir: string): ExpectedLease | undefined {
    return this.expected.find((expected) => expected.workdir === workdir && expected.expiresAt !== null);
  }

  expectedOf(job: string): ExpectedLease | undefined {
    return this.#expected.get(job);
  }

  put(lease: Lease): void {
    this.#leases.set(lease.workdir, lease);
  }

  /** Ends a lease, unless it was replaced meanwhile. */
  drop(lease: Lease): void {
    if (this.#leases.get(lease.workdir)?.job === lease.job) this.#leases.delete(lease.workdir);
  }

  expect(expected: ExpectedLease): void {
    this.#expected.set(expected.job, expected);
  }

  /** Whether there was something to forget. */
  forget(job: string): boolean {
    return this.#expected.delete(job);
  }

  /**
   * Moves the ends of leases when the clock was set. To be called before a new end is reckoned from the clock as it is: with
   * those before it, it would be moved by a change that it knows already.
   */
  noteClock(): void {
    const mark = this.#deps.clock.mark();
    const byMs = clockSetBy(this.#mark, mark);
    if (byMs === 0) return;
    this.#mark = mark;
    for (const lease of this.leases) this.put(withClockSet(lease, byMs));
    for (const expected of this.expected) this.expect(withEndMoved(expected, byMs));
    this.#deps.log.warn('the clock was set: leases that were given for a time are moved with it', { byMs });
  }

  /** @throws Error when the disk refuses. */
  async save(): Promise<void> {
    await this.#file.save(() => ({
      clock: this.#mark,
      expected: [...this.expected],
      leases: [...this.leases],
    }));
    this.#isFailing = false;
  }

  /** Saves without making a client wait. If the write fails, the next change or `saveRest` repeats it. Never rejects. */
  async saveSoon(): Promise<void> {
    await this.save().catch((error: unknown) => {
      if (!this.#isFailing)
        this.#deps.log.error('the leases cannot be written now', { cause: messageOf(error) });
      this.#isFailing = true;
    });
  }

  async saveRest(): Promise<void> {
    if (this.#file.isBehind) await this.saveSoon();
  }
}
