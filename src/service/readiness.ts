import { labCliEnvironment, whyMissing } from '../labs/program/lab-cli.ts';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PostponedStarts } from '../jobs/run/job-queue.ts';
import type { ReadinessCheck } from '../restricted/machine.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import { findProgram } from '../labs/drivers/find-program.ts';
import type { Environment, LabCli } from '../labs/drivers/lab-driver.ts';
import type { Ability, LabNeeds } from '../labs/drivers/lab-needs.ts';
import { messageOf } from '../lib/app-error.ts';
import { freeDiskBytes } from '../lib/files/free-disk.ts';
import { formatSize } from '../lib/text/size.ts';

interface ReadinessDeps {
  readonly store: Pick<JobStore, 'directory' | 'fault'>;
  readonly postponed: Pick<PostponedStarts, 'fault'>;
  readonly live: { readonly minFreeDiskBytes: number };
  /** LAB_API_CLI. */
  readonly cli: string;
  /** By their names: the lab CLIs of the service as they are on this machine now. */
  readonly clis: () => readonly (readonly [string, LabCli | undefined])[];
  /** The environment of the service. */
  readonly env: Environment;
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

/** Whether labs can start on this machine. `env`: the environment of the lab CLI. */
export async function abilityOf({ ability, programs }: LabNeeds, env: Environment): Promise<Ability> {
  const missing = programs.filter((name) => findProgram(name, env) === undefined);
  if (missing.length > 0) return { isAble: false, lacks: [`not on PATH: ${missing.join(', ')}`] };
  return (await ability?.(env)) ?? { isAble: true, lacks: [] };
}

/** Of a program that only speaks the language of a lab CLI, the needs are unknown. */
async function checkAbility(name: string, { file, driver, ...program }: LabCli, env: Environment) {
  if (!driver.recognizes(file)) return { ok: true, detail: file };
  const { isAble, lacks } = await abilityOf(driver.needs, labCliEnvironment(program, env));
  const why = lacks.join(', ');
  if (!isAble) return { ok: false, detail: `${name} cannot start labs: ${why}` };
  return { ok: true, detail: lacks.length === 0 ? file : `${file} (${why})` };
}

/** Without one of several, what it has to do is not done: the service is not what it was meant to be. */
async function checkClis({ clis, cli: setting, env }: ReadinessDeps): Promise<ReadinessCheck> {
  const all = clis();
  const isAlone = all.length === 1;
  const found = await Promise.all(
    all.map(async ([name, cli]) => {
      if (cli !== undefined) return checkAbility(name, cli, env);
      const detail = isAlone ? whyMissing(setting) : `not found: ${name}; install it, or change LAB_API_CLIS`;
      return { ok: false, detail };
    }),
  );
  const failed = found.filter(({ ok }) => !ok);
  const [told, mark] = failed.length === 0 ? [found, ', '] : [failed, '; '];
  const detail = told.map((one) => one.detail).join(mark);
  return { name: 'lab-cli', ok: failed.length === 0, detail };
}

/** Whether the service can do its work now, and if not, which part cannot. */
export async function checkReadiness(deps: ReadinessDeps): Promise<ReadinessCheck[]> {
  const { store, postponed, live, audit } = deps;
  const { fault } = audit;
  return [
    await checkWritable(store.directory),
    await checkDisk(store.directory, live.minFreeDiskBytes),
    { name: 'job-records', ok: store.fault === null, detail: store.fault ?? 'all records are on disk' },
    {
      name: 'job-starts',
      ok: postponed.fault === null,
      detail: postponed.fault ?? 'no job waits for the machine',
    },
    await checkClis(deps),
    ...(fault === undefined
      ? []
      : [{ name: 'audit-file', ok: fault === null, detail: fault ?? 'it takes lines' }]),
  ];
}
