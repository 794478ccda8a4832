/** A machine for tests of leases: what passes, and what becomes of labs and jobs, is up to the test. */
import { mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../src/jobs/model/job.ts';
import { LabLeases } from '../../src/leases/lab-leases.ts';
import type { LeaseJobs } from '../../src/leases/lease-jobs.ts';
import type { SeenLab } from '../../src/leases/seen-labs.ts';
import { eventually } from './eventually.ts';
import { MemoryLogger } from './memory-logger.ts';
import { sampleId, sampleJob } from './sample-job.ts';

export const startMs = Date.parse('2026-01-15T09:30:00.000Z');
export const minute = 60_000;
export const hour = 60 * minute;
export const workdir = '/labs/demo';

export const isoOf = (ms: number): string => new Date(ms).toISOString();

/** A machine whose clock, labs and jobs the test moves by hand. */
export class Machine {
  readonly file: string;
  readonly log = new MemoryLogger();
  readonly told: { change: string; [field: string]: unknown }[] = [];
  readonly takenDown: string[] = [];
  readonly canceled: string[] = [];
  readonly jobs = new Map<string, Job>();
  labs: SeenLab[] = [];
  nowMs = startMs;
  /** How much time passes whenever somebody looks at the clock. */
  msPerReading = 0;
  bootMs = startMs - hour;
  bootId = 'this-boot';
  statusFault: Error | undefined;
  queueFault: Error | undefined;
  /** Happens while the lab CLI is asked for its labs. */
  whileAsked: (() => void) | undefined;
  #listeners = new Set<(job: Job) => void>();

  constructor(base: string) {
    this.file = path.join(mkdtempSync(path.join(base, 'machine-')), 'leases.json');
  }

  /** A service that has just been started on this machine. */
  async service(maxTtlMs?: number): Promise<LabLeases> {
    this.#listeners.clear();
    const leases = new LabLeases({
      file: this.file,
      limits: { defaultTtlMs: undefined, maxTtlMs },
      jobs: this.#jobsPort(),
      labs: {
        list: async () => {
          if (this.statusFault) throw this.statusFault;
          this.whileAsked?.();
          return this.labs;
        },
        runOf: ({ entry }) => entry['run'] as string,
      },
      tell: (_lab, news) => void this.told.push({ ...news }),
      clock: {
        nowMs: () => (this.nowMs += this.msPerReading),
        mark: () => ({ bootId: this.bootId, bootMs: this.bootMs }),
      },
      log: this.log,
    });
    await leases.open();
    leases.start();
    await leases.look();
    return leases;
  }

  #jobsPort(): LeaseJobs {
    return {
      unfinished: () => [...this.jobs.values()].filter(({ finishedAt }) => finishedAt === null),
      get: async (id) => this.jobs.get(id),
      lastOf: async () => [...this.jobs.values()].findLast(({ state }) => state === 'success'),
      onEnd: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      takeDown: async ({ job: leaseOf }) => {
        if (this.queueFault) throw this.queueFault;
        const id = sampleId(1_000 + this.takenDown.length);
        this.takenDown.push(id);
        return this.add({ id, action: 'down', leaseOf });
      },
      cancel: async (id) => {
        this.canceled.push(id);
        this.end(id, { state: 'canceled' });
      },
    };
  }

  add(changes: Partial<Job>): Job {
    const job = sampleJob({ workdir, startedAt: isoOf(this.nowMs), ...changes });
    this.jobs.set(job.id, job);
    return job;
  }

  end(id: string, changes: Partial<Job>): void {
    const job = { ...this.jobs.get(id)!, finishedAt: isoOf(this.nowMs), ...changes };
    this.jobs.set(id, job);
    for (const listener of this.#listeners) listener(job);
  }

  lab(changes: Partial<SeenLab> = {}): void {
    this.labs = [
      { id: '7', cli: 'netlab', directory: workdir, run: 'first', startedMs: this.nowMs, ...changes },
    ];
  }

  pass(ms: number): void {
    this.nowMs += ms;
  }

  /** Somebody sets the clock. */
  setClockBy(ms: number): void {
    this.nowMs += ms;
    this.bootMs += ms;
  }

  ends(): { job: string; expiresAt: string }[] {
    return (JSON.parse(readFileSync(this.file, 'utf8')) as { leases: { job: string; expiresAt: string }[] })
      .leases;
  }

  /** A lab whose `up` has just ended. */
  async started(leases: LabLeases, ttlMs: number, id = sampleId(1)): Promise<void> {
    await leases.expect({ id, workdir }, ttlMs);
    this.add({ id, state: 'running' });
    this.lab({ run: `run of ${id}` });
    this.end(id, { state: 'success' });
    await eventually('the lease', () => this.ends().some(({ job }) => job === id));
  }
}

/** When the leases on disk are over. */
export const endsOf = (machine: Machine): string[] => machine.ends().map(({ expiresAt }) => expiresAt);
