/** Where the files of a job are, and what those say that tell of its process. Only the service's user may read them. */
import { readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { systemCode } from '../../lib/app-error.ts';
import { readPlainFile } from '../../lib/plain-file.ts';
import type { ProcessIdentity } from '../../lib/processes.ts';
import { syncDirectory, writeDurably } from '../../lib/write-durably.ts';

export const fileMode = 0o600;
export const directoryMode = 0o700;

export interface JobPaths {
  readonly directory: string;
  readonly record: string;
  readonly log: string;
  readonly process: string;
  readonly exit: string;
  readonly topology: string;
}

export function jobPaths(jobsDirectory: string, id: string): JobPaths {
  const directory = path.join(jobsDirectory, id);
  const file = (name: string): string => path.join(directory, name);
  return {
    directory,
    record: file('job.json'),
    log: file('log'),
    process: file('process.json'),
    exit: file('exit.json'),
    topology: file('topology.yml'),
  };
}

const identitySchema = z.object({ pid: z.int().positive(), startTicks: z.int(), bootId: z.string() });
const exitSchema = z.object({ exitCode: z.int().min(0).max(255), signaled: z.boolean().default(false) });

/** How the shim's command ended, in the words of a shell. */
export type ExitStatus = z.infer<typeof exitSchema>;

/** Errors that say nothing about the file: the service or the machine is short of memory or descriptors just now. */
const passingErrors = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/** Undefined when there is no readable file. @throws Error when the system cannot tell at the moment. */
async function readIfThere(file: string): Promise<string | undefined> {
  const reading = await readPlainFile(file);
  if (reading.kind === 'found') return reading.text;
  if (passingErrors.has(systemCode(reading.error) ?? '')) throw reading.error;
  return undefined;
}

async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const content = await readIfThere(file);
  if (content === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(content));
  } catch {
    // Written half, or by somebody else: what it should say is not known.
    return undefined;
  }
}

/** Which process the job was, or undefined when that was not recorded. */
export async function readIdentity(paths: JobPaths): Promise<ProcessIdentity | undefined> {
  return readJson(paths.process, identitySchema);
}

/** Notes which process the job is. @throws Error when the disk refuses. */
export async function writeIdentity(paths: JobPaths, identity: ProcessIdentity): Promise<void> {
  await writeDurably(paths.process, `${JSON.stringify(identity)}\n`, fileMode);
}

/** The exit status that the shim wrote, or undefined while (or because) it did not. */
export async function readExitStatus(paths: JobPaths): Promise<ExitStatus | undefined> {
  return readJson(paths.exit, exitSchema);
}

/** More than the shim ever writes into `exit.json`; the blanks that are left behind the JSON do no harm. */
const exitFileBytes = 64;

/**
 * Makes the files that the shim will write to, as long as they will be: the shim only overwrites them, so a full disk
 * cannot stop it. Their names are on disk for good before the process starts, so that `wasStarted` is right after a power
 * cut too.
 */
export async function prepareExitFiles(paths: JobPaths): Promise<void> {
  await writeFile(path.join(paths.directory, 'shim.err'), '\n', { mode: fileMode });
  await writeFile(`${paths.exit}.tmp`, `${' '.repeat(exitFileBytes - 1)}\n`, { mode: fileMode });
  await syncDirectory(paths.directory);
}

/** Whether anything of a job may have run. @throws Error when the system cannot tell at the moment. */
export async function wasStarted(paths: JobPaths): Promise<boolean> {
  const left = new Set(await readdir(paths.directory));
  return [paths.process, paths.exit, `${paths.exit}.tmp`, path.join(paths.directory, 'shim.err')].some(
    (file) => left.has(path.basename(file)),
  );
}

/** When the shim wrote the exit status, in ms since 1970; undefined when that cannot be told. */
export async function exitTimeMs(paths: JobPaths): Promise<number | undefined> {
  return stat(paths.exit).then(
    ({ mtimeMs }) => Math.round(mtimeMs),
    () => undefined,
  );
}
