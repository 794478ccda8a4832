import { whyMissing } from '../labs/program/lab-cli.ts';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PostponedStarts } from '../jobs/run/job-queue.ts';
import type { ReadinessCheck } from '../restricted/machine.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { LabCli } from '../labs/drivers/lab-driver.ts';
import { messageOf } from '../lib/app-error.ts';
import { freeDiskBytes } from '../lib/files/free-disk.ts';
import { formatSize } from '../lib/text/size.ts';

interface ReadinessDeps {
  readonly store: JobStore;
  readonly postponed: PostponedStarts;
  readonly minFreeDiskBytes: number;
  /** LAB_API_CLI. */
  readonly cli: string;
  /** By their names: the lab CLIs of the service as they are on this machine now. */
  readonly clis: () => readonly (readonly [string, LabCli | undefined])[];
  /** Its `fault` is undefined where there is no file of the audit. */
  readonly audit: { readonly fault: string | null | undefined };
}

/** Writes for real: permissions, a read-only file system and a full disk all show only then. */
async function checkWritable(directory: string): Promise<ReadinessCheck> {
  const name = 'jobs-directory';
  const probe = path.join(directory, `.probe-${process.pid}`);
  try {
    await writeFile(probe, 'probe');
    return { name, ok: true, detail: `${directory} is writable` };
  } catch (error) {
    return { name, ok: false, detail: `${directory} is not writable: ${messageOf(error)}` };
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}

async function checkDisk(directory: string, floor: number): Promise<ReadinessCheck> {
  const free = await freeDiskBytes(directory);
  const name = 'free-disk';
  if (free === undefined) return { name, ok: true, detail: 'this system does not say how much is free' };
  return { name, ok: free >= floor, detail: `${formatSize(free)} free, the floor is ${formatSize(floor)}` };
}

/** Without one of several, what it has to do is not done: the service is not what it was meant to be. */
function checkClis(clis: ReturnType<ReadinessDeps['clis']>, setting: string): ReadinessCheck {
  const missing = clis.filter(([, cli]) => cli === undefined).map(([name]) => name);
  const name = 'lab-cli';
  if (missing.length === 0) return { name, ok: true, detail: clis.map(([, cli]) => cli?.file).join(', ') };
  if (clis.length === 1) return { name, ok: false, detail: whyMissing(setting) };
  return { name, ok: false, detail: `not found: ${missing.join(', ')}; install it, or change LAB_API_CLIS` };
}

/** Whether the service can do its work now, and if not, which part cannot. */
export async function checkReadiness({
  store,
  postponed,
  minFreeDiskBytes,
  cli,
  clis,
  audit: { fault },
}: ReadinessDeps): Promise<ReadinessCheck[]> {
  return [
    await checkWritable(store.directory),
    await checkDisk(store.directory, minFreeDiskBytes),
    { name: 'job-records', ok: store.fault === null, detail: store.fault ?? 'all records are on disk' },
    {
      name: 'job-starts',
      ok: postponed.fault === null,
      detail: postponed.fault ?? 'no job waits for the machine',
    },
    checkClis(clis(), cli),
    ...(fault === undefined
      ? []
      : [{ name: 'audit-file', ok: fault === null, detail: fault ?? 'it takes lines' }]),
  ];
}
