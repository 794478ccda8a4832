/** Where the files of a job are, and what those say that tell of its process. Only the service's user may read them. */
import { randomBytes } from 'node:crypto';
import { chmod, chown, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { systemCode } from '../../lib/app-error.ts';
import { exists } from '../../lib/files/exists.ts';
import { isTransient } from '../../lib/is-transient.ts';
import { NotPlainFile, readPlainFile } from '../../lib/files/plain-file.ts';
import { bootId, hasProcFs, type ProcessIdentity } from '../../lib/processes/processes.ts';
import { syncDirectory, writeDurably } from '../../lib/files/write-durably.ts';

export const fileMode = 0o600;
export const directoryMode = 0o700;

export interface JobPaths {
  readonly directory: string;
  readonly record: string;
  readonly log: string;
  readonly process: string;
  readonly exit: string;
  readonly topology: string;
  /** The directory of the files that the job made for its clients; there is none when it made none. */
  readonly artifacts: string;
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
    artifacts: file('artifacts'),
  };
}

const identitySchema = z.object({ pid: z.int().positive(), startTicks: z.int(), bootId: z.string() });
const exitSchema = z.object({ exitCode: z.int().min(0).max(255), signaled: z.boolean().default(false) });

/** How the shim's command ended, in the words of a shell. */
export type ExitStatus = z.infer<typeof exitSchema>;

/**
 * Undefined when there is no such file, or what is there is none: a link, a pipe, a directory, or not even a directory that
 * it could be in. That will not become one by waiting. @throws Error when the system cannot tell at the moment.
 */
async function readIfThere(file: string): Promise<string | undefined> {
  const reading = await readPlainFile(file);
  if (reading.kind === 'found') return reading.text;
  const code = systemCode(reading.error) ?? '';
  const isOther = reading.error instanceof NotPlainFile || ['ELOOP', 'ENOTDIR'].includes(code);
  if (reading.kind === 'unreadable' && !isOther) throw reading.error;
  return undefined;
}

async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const content = await readIfThere(file);
  if (content === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(content));
  } catch {
    // Half written, or by another program: the content is unknown.
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

/** The beginning of the name of a ticket; the boot id and a unique number follow. */
const ticketPrefix = 'ticket-';

/**
 * Makes the files that the shim will write to, as long as they will be: the shim only overwrites them, so a full disk
 * cannot stop it. One of them is the ticket, whose path this gives: the shim starts the lab CLI only when it can rename
 * the ticket to `exit.json.tmp`, which works once. So after removing the ticket, a service knows that nothing began, and that
 * nothing will. Its name is on disk for good before the process starts: without ticket and result, there was no process.
 */
export async function prepareStart(paths: JobPaths): Promise<string> {
  const ticket = path.join(paths.directory, `${ticketPrefix}${bootId}-${randomBytes(6).toString('hex')}`);
  await writeFile(path.join(paths.directory, 'shim.err'), '\n', { mode: fileMode });
  await writeFile(ticket, `${' '.repeat(exitFileBytes - 1)}\n`, { mode: fileMode });
  await syncDirectory(paths.directory);
  return ticket;
}

/** Whether a job was started, when it can start no more. */
export type Beginning =
  /** Nothing of it was ever to be started. */
  | 'unprepared'
  /** Its ticket was still there, and is not any more: the lab CLI never ran, and never will. */
  | 'prevented'
  | 'may-have-begun';

/**
 * Takes away what the shim needs to start the lab CLI. A ticket of another boot proves nothing: the machine may have gone
 * down before the rename was on disk, and after the lab CLI began.
 * @throws Error when the system cannot tell at the moment.
 */
export async function preventStart(paths: JobPaths): Promise<Beginning> {
  return takeTickets(paths).catch((error: unknown) => {
    if (isTransient(error)) throw error;
    return 'may-have-begun';
  });
}

async function takeTickets(paths: JobPaths): Promise<Beginning> {
  const claimed = [paths.exit, `${paths.exit}.tmp`];
  const left = await readdir(paths.directory);
  const isThere = (file: string): boolean => left.includes(path.basename(file));
  if (claimed.some(isThere)) return 'may-have-begun';
  const tickets = left.filter((name) => name.startsWith(ticketPrefix));
  if (tickets.length === 0) return isThere(paths.process) ? 'may-have-begun' : 'unprepared';
  const isOurs = (name: string): boolean => hasProcFs && name.startsWith(`${ticketPrefix}${bootId}-`);
  if (!tickets.every(isOurs)) return 'may-have-begun';
  // The ticket last: a service that goes down in between finds it, and comes here again.
  await rm(paths.process, { force: true });
  for (const ticket of tickets) await rm(path.join(paths.directory, ticket), { force: true });
  // A shim that was quicker has renamed it.
  for (const file of claimed) if (await exists(file)) return 'may-have-begun';
  return 'prevented';
}

/**
 * Lets the members of a group read the topology of a job, and nothing else of it: they may go through the directory, and not
 * look into it.
 */
export async function letRead(paths: JobPaths, gid: number): Promise<void> {
  if (!(await exists(paths.topology))) return;
  for (const [name, mode] of [
    [paths.directory, 0o710],
    [paths.topology, 0o640],
  ] as const) {
    await chown(name, 0, gid);
    await chmod(name, mode);
  }
}

/** When the shim wrote the exit status, in ms since 1970; undefined when that is unknown. */
export async function exitTimeMs(paths: JobPaths): Promise<number | undefined> {
  return stat(paths.exit).then(
    ({ mtimeMs }) => Math.round(mtimeMs),
    () => undefined,
  );
}
