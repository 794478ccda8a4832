/** Looks again, right before the start of a job, at what may have changed since it was submitted. */
import { access, constants, lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { isTransient } from '../../lib/is-transient.ts';
import { hasProcFs } from '../../lib/processes/processes.ts';
import type { Job } from '../model/job.ts';
import type { LabPort } from '../model/lab-port.ts';
import type { JobStore } from '../store/job-store.ts';
import { systemCode } from '../../lib/app-error.ts';
import { isNothingAt } from '../../lib/files/exists.ts';

export type StartDirectory =
  /** `why` is a sentence for a person. */
  | { readonly kind: 'refused'; readonly why: string }
  /** `cwd` leads to the directory that was checked, whatever has its name by now, until `close` is called. */
  | {
      readonly kind: 'ready';
      readonly cwd: string;
      /** The descriptor that `cwd` leads through. */
      readonly held?: number;
      readonly close: () => Promise<void>;
    };

/** open(2) of Linux, which Node does not name: a handle that only says which directory it is; it need not be readable. */
const O_PATH = 0o10000000;
const flags = constants.O_DIRECTORY | constants.O_NOFOLLOW | O_PATH;

function refuse(why: string): Extract<StartDirectory, { kind: 'refused' }> {
  return { kind: 'refused', why };
}

/**
 * Opens a directory by its real path, and checks the opened directory: between a check of a name and its use, another program could put a
 * link in its place that leads out of the allowed roots. @throws Error when the machine cannot tell at the moment.
 */
export async function openDirectory(workdir: string): Promise<StartDirectory> {
  let handle: FileHandle;
  try {
    handle = await open(workdir, flags);
  } catch (error) {
    if (isTransient(error)) throw error;
    return refuse(await whyNotOpened(workdir, error));
  }
  const close = async (): Promise<void> => handle.close().catch(() => undefined);
  // It was a real path when it was checked against the allowed roots; a link in its place may lead anywhere.
  const real = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  // The child has a copy of the descriptor until it has gone there, so it is its own that it looks up.
  if (real === workdir) return { kind: 'ready', cwd: `/proc/self/fd/${handle.fd}`, held: handle.fd, close };
  await close();
  return refuse(`the working directory ${workdir} was replaced by a link`);
}

async function whyNotOpened(workdir: string, error: unknown): Promise<string> {
  const entry = await lstat(workdir).catch(() => undefined);
  if (entry?.isSymbolicLink()) return `the working directory ${workdir} was replaced by a link`;
  const isGone = ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');
  return `the working directory ${workdir} is gone${isGone ? '' : ` or out of reach: ${systemCode(error)}`}`;
}

/** Where there is no `/proc`, a name is all that there is to check. */
export async function findDirectory(workdir: string): Promise<StartDirectory> {
  const entry = await lstat(workdir).catch(() => undefined);
  const real = await realpath(workdir).catch(() => undefined);
  if (entry === undefined || real === undefined) return refuse(`the working directory ${workdir} is gone`);
  if (real !== workdir) return refuse(`the working directory ${workdir} was replaced by a link`);
  if (!entry.isDirectory()) return refuse(`the working directory ${workdir} is gone`);
  return { kind: 'ready', cwd: workdir, close: () => Promise.resolve() };
}

/** Every user may be there, and a lab CLI that goes by the name of its lab finds no other one there. */
const anywhere: StartDirectory = { kind: 'ready', cwd: '/', close: () => Promise.resolve() };

export type StartCheck =
  | StartDirectory
  /** There is nothing to do for it any more. */
  | { readonly kind: 'obsolete'; readonly why: string };

interface CheckDeps {
  readonly store: JobStore;
  readonly lab: Pick<LabPort, 'allows' | 'whyNotBeside' | 'runsWithoutDirectory'>;
  /** Why the job has become pointless; undefined when it is to start. */
  readonly whyObsolete: (job: Job) => Promise<string | undefined>;
}

/** Whether another job runs, and began before this one: of two that must not run beside each other, one goes on. */
function isBefore({ id, startedAt }: Job): (other: Job) => boolean {
  const key = `${startedAt} ${id}`;
  return (other) => other.startedAt !== null && `${other.startedAt} ${other.id}` < key;
}

/** @throws Error when the machine cannot tell at the moment. */
export async function checkStart(job: Job, { store, lab, whyObsolete }: CheckDeps): Promise<StartCheck> {
  const [program = ''] = job.command;
  const obsolete = await whyObsolete(job);
  if (obsolete !== undefined) return { kind: 'obsolete', why: obsolete };
  const current = await store.get(job.id);
  if (current?.stopRequest) return refuse('it was canceled before it started');
  const refused = await access(program, constants.X_OK).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (isTransient(refused)) throw refused;
  const beside = await lab.whyNotBeside?.(job, store.unfinished().filter(isBefore(job)));
  if (beside !== undefined) return refuse(beside);
  const found = await (hasProcFs ? openDirectory(job.workdir) : findDirectory(job.workdir));
  const isElsewhere =
    found.kind === 'refused' && lab.runsWithoutDirectory?.(job) === true && (await isNothingAt(job.workdir));
  const directory = isElsewhere ? anywhere : found;
  if (directory.kind !== 'ready') return refuse(directory.why);
  const why = !lab.allows(job.workdir)
    ? `the working directory ${job.workdir} is not allowed here any more`
    : refused === undefined
      ? undefined
      : `the lab CLI ${program} is gone or not executable`;
  if (why === undefined) return directory;
  await directory.close();
  return refuse(why);
}
