/** Where a job's files are and how they are written: whole or not at all, readable by the service's user alone. */
import { constants, statSync } from 'node:fs';
import { open, readdir, readFile, stat, writeFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { systemCode } from '../../lib/app-error.ts';
import type { ProcessIdentity } from '../../lib/processes.ts';

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

/**
 * How to open a file for reading that should be a plain one: a link in its place is refused, for it leads anywhere; a pipe
 * gives nothing, where open(2) would else wait for ever and take one of Node's few threads with it.
 */
export const plainFileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a file for reading. @throws Error when it cannot be opened, or is no plain file. */
export async function openPlainFile(file: string): Promise<FileHandle> {
  const handle = await open(file, plainFileFlags);
  try {
    if ((await handle.stat()).isFile()) return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  throw new Error(`${file} is not a plain file`);
}

/** Makes the names in a directory durable: rename(2) alone survives a crash of the service, not one of the machine. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Temporary file, fsync, rename, fsync of the directory. */
export async function writeDurably(file: string, content: string): Promise<void> {
  await writeFileAtomic(file, content, { mode: fileMode, fsync: true });
  await syncDirectory(path.dirname(file));
}

/** Bytes; null for a file that cannot be looked at. */
export function sizeOf(file: string): number | null {
  try {
    return statSync(file).size;
  } catch {
    return null;
  }
}

const identitySchema = z.object({ pid: z.int().positive(), startTicks: z.int(), bootId: z.string() });
const exitSchema = z.object({ exitCode: z.int().min(0).max(255), signaled: z.boolean().default(false) });

/** How the shim's command ended, in the words of a shell. */
export type ExitStatus = z.infer<typeof exitSchema>;

/** Errors that say nothing about the file: the service or the machine is short of something at the moment. */
const passingErrors = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/** Undefined when there is no readable file. @throws Error when the system cannot tell at the moment. */
async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (passingErrors.has(systemCode(error) ?? '')) throw error;
    return undefined;
  }
}

async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const content = await readIfThere(file);
  if (content === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(content));
  } catch {
    // Half-written or foreign: the fact is not known.
    return undefined;
  }
}

/** Which process the job was, or undefined when that was not recorded. */
export async function readIdentity(paths: JobPaths): Promise<ProcessIdentity | undefined> {
  return readJson(paths.process, identitySchema);
}

/** The exit status that the shim wrote, or undefined while (or because) it did not. */
export async function readExitStatus(paths: JobPaths): Promise<ExitStatus | undefined> {
  return readJson(paths.exit, exitSchema);
}

/** Longer than any result; white space behind JSON does not matter. */
const exitFileBytes = 64;

/**
 * Makes the files that the shim writes to, with the bytes that it will need: it must not depend on a free disk. Their
 * names are on disk for good before the process is there, so that `wasStarted` is right after a power cut too.
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
