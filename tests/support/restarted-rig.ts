/** Services that go down and come up again on the same machine. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../src/jobs/model/job.ts';
import { readExitStatus } from '../../src/jobs/store/job-files.ts';
import type { Recovered } from '../../src/jobs/run/recovery.ts';
import { eventually } from './eventually.ts';
import { jobRigs, type JobRig } from './job-rig.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export const noneRecovered: Recovered = { queued: 0, adopted: 0, finished: 0, interrupted: 0 };

type RigOptions = Partial<Parameters<ReturnType<typeof jobRigs>>[0]>;

interface Restarts {
  readonly makeRig: ReturnType<typeof jobRigs>;
  /** An empty directory that stands for a machine. */
  readonly newRoot: () => string;
  readonly startRig: (options?: RigOptions) => Promise<JobRig>;
  /** A new service on the same machine, and what it says of the jobs it found. */
  readonly restart: (old: JobRig, options?: RigOptions) => Promise<{ rig: JobRig; recovered: Recovered }>;
}

/** Call once in a test file: it registers what cleans up after each test. */
export function restarts(): Restarts {
  const base = temporaryDirectory();
  const makeRig = jobRigs();
  const newRoot = (): string => mkdtempSync(path.join(base, 'machine-'));
  return {
    makeRig,
    newRoot,
    startRig: async (options = {}) => {
      const rig = makeRig({ root: newRoot(), ...options });
      await rig.start();
      return rig;
    },
    restart: async (old, options = {}) => {
      old.crash();
      const rig = makeRig({ root: old.root, ...options });
      return { rig, recovered: await rig.start() };
    },
  };
}

export function rewriteRecord(rig: JobRig, id: string, change: (job: Job) => Job): void {
  writeFileSync(rig.store.paths(id).record, JSON.stringify(change(rig.recordOnDisk(id))));
}

/** Waits for what the shim writes when the lab CLI has ended. */
export async function exitFileOf(rig: JobRig, id: string): Promise<void> {
  await eventually(
    'the result of the shim',
    async () => (await readExitStatus(rig.store.paths(id))) !== undefined,
  );
}

/** A job that waits until its gate is opened. */
export function gated(rig: JobRig, name: string, workdir: string, code = '0') {
  const gate = path.join(rig.root, `gate-${name}`);
  return {
    submission: { program: 'waits-for-file', args: [gate, code], workdir },
    open: () => writeFileSync(gate, ''),
  };
}
