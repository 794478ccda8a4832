import { afterEach, expect } from '@jest/globals';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readFileSync, readSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../src/jobs/model/job.ts';
import { isTerminal } from '../../src/jobs/model/job.ts';
import { readIdentity } from '../../src/jobs/store/job-files.ts';
import { createJobs } from '../../src/jobs/create-jobs.ts';
import type { JobsLifecycle } from '../../src/jobs/jobs-lifecycle.ts';
import type { LocalJobs } from '../../src/jobs/local-jobs.ts';
import type { FreeIdPort, LabPort, LeasePort } from '../../src/jobs/model/lab-port.ts';
import { LogFollowers } from '../../src/jobs/view/log-followers.ts';
import type { Recovered } from '../../src/jobs/run/recovery.ts';
import { noSuchJob } from '../../src/jobs/model/no-such-job.ts';
import type { JobStore } from '../../src/jobs/store/job-store.ts';
import type { Supervisor } from '../../src/jobs/run/supervisor.ts';
import type { ProcessIdentity } from '../../src/lib/processes/processes.ts';
import { labCliEnvironment } from '../../src/labs/program/lab-cli.ts';
import { killAll, processesOf } from './job-processes.ts';
import { eventually } from './eventually.ts';
import { MemoryLogger } from './memory-logger.ts';
import { fixtureProgram } from './programs.ts';

interface RigOptions {
  /** The directory that stands for the machine; a second rig on it stands for a restarted service. */
  readonly root: string;
  readonly maxRunningJobs?: number;
  readonly maxQueuedJobs?: number;
  readonly jobTimeoutMs?: number;
  readonly cancelGraceMs?: number;
  readonly maxLogSizeBytes?: number;
  readonly minFreeDiskBytes?: number;
  readonly serviceEnv?: Readonly<Record<string, string>>;
  readonly lab?: Partial<LabPort>;
  /** What runs as the `down` that the service itself queues after an `up`. */
  readonly cleanup?: Submission;
}

/** How a job is submitted: a program of tests/fixtures/programs (or a path), its arguments, and fields of the body. */
interface Submission {
  readonly program: string;
  readonly args?: readonly string[];
  /** Below the root; made when it is not there. */
  readonly workdir?: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly by?: string;
  readonly topologyText?: string;
}

const noMultilab: FreeIdPort = { take: async () => Promise.reject(new Error('no free ids here')) };

const noLeases: LeasePort = {
  ttlMsOf: () => null,
  expect: async () => Promise.resolve(),
  forget: () => undefined,
  whyObsolete: async () => Promise.resolve(undefined),
};

/** The real store, queue, supervisor and service, with fixture programs as the lab CLI. */
export class JobRig {
  readonly root: string;
  readonly log = new MemoryLogger();
  /** A test may replace what it does. */
  readonly lab: LabPort;
  readonly store: JobStore;
  readonly supervisor: Supervisor;
  readonly jobs: LocalJobs;
  readonly lifecycle: JobsLifecycle;
  readonly followers: LogFollowers;
  /** States that `change` announced, per job. */
  readonly history = new Map<string, string[]>();
  /** A test may change them, as a reload does. */
  readonly limits;
  #submission: Submission | undefined;

  constructor(options: RigOptions) {
    this.root = options.root;
    this.lab = this.#labPort(options);
    this.limits = {
      maxRunningJobs: options.maxRunningJobs ?? 8,
      maxQueuedJobs: options.maxQueuedJobs ?? 100,
      jobTimeoutMs: options.jobTimeoutMs ?? 60_000,
      cancelGraceMs: options.cancelGraceMs ?? 300,
      maxLogSizeBytes: options.maxLogSizeBytes ?? 2 ** 30,
      minFreeDiskBytes: options.minFreeDiskBytes ?? 0,
    };
    const { store, supervisor, jobs, lifecycle } = createJobs({
      directory: path.join(this.root, 'jobs'),
      lab: this.lab,
      log: this.log,
      callbacks: { check: async () => [], stateOf: () => null },
      freeIds: noMultilab,
      leases: noLeases,
      host: null,
      settings: this.limits,
    });
    this.store = store;
    this.supervisor = supervisor;
    this.jobs = jobs;
    this.lifecycle = lifecycle;
    this.followers = new LogFollowers(store);
    this.store.on('change', (job) => {
      this.history.set(job.id, [...(this.history.get(job.id) ?? []), job.state]);
    });
  }

  #labPort(options: RigOptions): LabPort {
    const env = { PATH: process.env['PATH'] ?? '', ...options.serviceEnv };
    return {
      plan: async (request) => {
        const submission = this.#submission ?? options.cleanup;
        this.#submission = undefined;
        if (!submission) throw new Error('this request was not made by the rig');
        const { program, args = [], workdir = 'lab', topologyText } = submission;
        const directory = request.workdir ?? path.join(this.root, workdir);
        mkdirSync(directory, { recursive: true });
        const file = program.startsWith('/') ? program : fixtureProgram(program);
        return {
          workdir: directory,
          workspace: null,
          command: (topology) => [file, ...args.map((arg) => (arg === '{topology}' ? topology : arg))],
          topologyText,
          instance: null,
          warnings: [],
        };
      },
      madeBy: () => [],
      makeWorkspace: async () => undefined,
      allows: () => true,
      environment: () => labCliEnvironment({ binDirs: [] }, env),
      errorSentence: (job, { exitCode, signal }, logEnd) =>
        `fixture ${job.action} failed: ${exitCode ?? signal}: ${logEnd.trimEnd().split('\n').at(-1) ?? ''}`,
      isSuccess: (_job, exitCode) => exitCode === 0,
      resultReader: () => undefined,
      verify: async () => undefined,
      cleanupHint: () => undefined,
      ...options.lab,
    };
  }

  async start(): Promise<Recovered> {
    await this.store.prepare();
    await this.store.load();
    const recovered = await this.lifecycle.recover();
    this.lifecycle.open();
    return recovered;
  }

  async submit(submission: Submission): Promise<Job> {
    // The plan is asked for before anything is waited for.
    this.#submission = submission;
    const body = { action: 'up', ...submission.body };
    const { job } = await this.jobs.submit(body, { requestedBy: submission.by ?? null, claim: undefined });
    return this.record(job.id);
  }

  /** Submits and waits until the program says that it is set up. */
  async submitReady(submission: Submission): Promise<Job> {
    const { id } = await this.submit(submission);
    await this.ready(id);
    await this.shimOf(id);
    return this.record(id);
  }

  async record(id: string): Promise<Job> {
    const job = await this.store.get(id);
    if (!job) throw noSuchJob(id);
    return job;
  }

  /** The places of the jobs in the queue; null for jobs that do not wait. */
  async positions(ids: readonly string[]): Promise<(number | null)[]> {
    return Promise.all(ids.map(async (id) => (await this.jobs.get(id)).queuePosition));
  }

  async ready(id: string): Promise<void> {
    await eventually(`${id} to be ready`, () => this.logText(id).includes('ready\n'));
  }

  /** The shim of a job, once the service has noted it: that comes after the start of the program. */
  async shimOf(id: string): Promise<ProcessIdentity> {
    return eventually(`the note of the process of ${id}`, async () => readIdentity(this.store.paths(id)));
  }

  /** The pid of the program itself, for a job that is the shim and one program. */
  async programOf(id: string): Promise<number> {
    const shim = await this.shimOf(id);
    return eventually(`the program of ${id}`, () => {
      const [program, ...others] = processesOf(id).filter((pid) => pid !== shim.pid);
      return others.length === 0 ? program : undefined;
    });
  }

  /** Waits until the job has that many processes: a program in the middle of execve(2) shows no environment. */
  async processCount(id: string, count: number): Promise<void> {
    await eventually(`${id} to have ${count} processes`, () => processesOf(id).length === count);
  }

  async until(id: string, state: Job['state']): Promise<Job> {
    return eventually(`${id} to be ${state}`, async () => {
      const job = await this.record(id);
      return job.state === state ? job : undefined;
    });
  }

  /**
   * The pids of a job once these are its programs, whatever their order. A program in the middle of execve(2) has its new
   * name before it shows an environment: who looks for processes of the job a moment too early misses it.
   */
  async settled(id: string, ...names: readonly string[]): Promise<number[]> {
    return eventually(`${id} to be ${names.join(', ')}`, () => {
      const before = processesOf(id);
      const seen = before.map((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim());
      const after = processesOf(id);
      const isSettled = seen.toSorted().join() === names.toSorted().join() && after.join() === before.join();
      return isSettled && after;
    });
  }

  /** The job after its end. */
  async ended(id: string): Promise<Job> {
    await this.jobs.wait(id, { ms: 30_000, signal: new AbortController().signal });
    const job = await this.record(id);
    if (!isTerminal(job.state)) throw new Error(`${id} did not end: it is ${job.state}`);
    return job;
  }

  async cancel(id: string, options: { by?: string; force?: boolean; waitMs?: number } = {}): Promise<Job> {
    const { by = null, force = false, waitMs = 20_000 } = options;
    await this.jobs.cancel(id, { by, force, waitMs });
    return this.record(id);
  }

  logBytes(id: string): Buffer {
    const { log } = this.store.paths(id);
    if (!existsSync(log)) return Buffer.alloc(0);
    const file = openSync(log, 'r');
    try {
      // Not to the end: a job may print faster than this reads.
      const bytes = Buffer.alloc(fstatSync(file).size);
      return bytes.subarray(0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  }

  logText(id: string): string {
    return this.logBytes(id).toString('utf8');
  }

  /** What is on disk now, whatever the memory says. */
  recordOnDisk(id: string): Job {
    return JSON.parse(readFileSync(this.store.paths(id).record, 'utf8')) as Job;
  }

  /** The service is gone from one instant to the next: its jobs run on, and nothing of it writes or starts any more. */
  crash(): void {
    void this.lifecycle.close();
    this.store.update = () => new Promise(() => undefined);
    this.store.create = () => new Promise(() => undefined);
    void this.store.close();
  }

  close(): void {
    void this.lifecycle.close();
    void this.store.close();
  }
}

/** Makes rigs; after each test they are closed and it is checked that none of their jobs left a process behind. */
export function jobRigs(): (options: RigOptions) => JobRig {
  const rigs: JobRig[] = [];
  afterEach(async () => {
    const ids = new Set(rigs.flatMap((rig) => rig.store.summaries().map(({ id }) => id)));
    for (const rig of rigs.splice(0)) rig.close();
    const looks = [...ids].map(async (id) => {
      // The shim outlives the result that it wrote by a moment.
      const isClean = await eventually(`${id} to be gone`, () => processesOf(id).length === 0).catch(
        () => false,
      );
      await killAll(id);
      return isClean ? [] : [id];
    });
    const left = (await Promise.all(looks)).flat();
    expect(left).toEqual([]);
  });
  return (options) => {
    const rig = new JobRig(options);
    rigs.push(rig);
    return rig;
  };
}
