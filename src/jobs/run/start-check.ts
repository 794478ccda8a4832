/** Looks again, right before the start of a job, at what may have changed since it was submitted. */
import { access, constants } from 'node:fs/promises';
import { isTransient } from '../../lib/is-transient.ts';
import { hasProcFs } from '../../lib/processes/processes.ts';
import type { Job } from '../model/job.ts';
import type { LabPort } from '../model/lab-port.ts';
import type { JobStore } from '../store/job-store.ts';
import { findDirectory, openDirectory, refuse, type StartDirectory } from './start-directory.ts';

export type StartCheck =
  | StartDirectory
  /** There is nothing to do for it any more. */
  | { readonly kind: 'obsolete'; readonly why: string };

interface CheckDeps {
  readonly store: JobStore;
  readonly lab: Pick<LabPort, 'allows' | 'whyNotBeside'>;
  /** Why nobody wants the job to start any more. */
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
  const directory = await (hasProcFs ? openDirectory(job.workdir) : findDirectory(job.workdir));
  if (directory.kind !== 'ready') return directory;
  const why = !lab.allows(job.workdir)
    ? `the working directory ${job.workdir} is not allowed here any more`
    : refused === undefined
      ? undefined
      : `the lab CLI ${program} is gone or not executable`;
  if (why === undefined) return directory;
  await directory.close();
  return refuse(why);
}
