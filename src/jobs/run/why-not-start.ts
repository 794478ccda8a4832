/** Looks again, right before the start of a job, at what may have changed since it was submitted. */
import { access, constants, realpath, stat } from 'node:fs/promises';
import type { Job } from '../model/job.ts';
import type { LabPort } from '../model/lab-port.ts';
import type { JobStore } from '../store/job-store.ts';

/** A sentence for a person when the job must not be started now, else undefined. */
export async function whyNotStart(
  job: Job,
  { store, lab }: { readonly store: JobStore; readonly lab: LabPort },
): Promise<string | undefined> {
  const [program = ''] = job.command;
  const current = await store.get(job.id);
  if (current?.stopRequest) return 'it was canceled before it started';
  const entry = await stat(job.workdir).catch(() => undefined);
  if (!entry?.isDirectory()) return `the working directory ${job.workdir} is gone`;
  // It was a real path when it was checked against the allowed roots; a link in its place may lead anywhere.
  const real = await realpath(job.workdir).catch(() => undefined);
  if (real !== job.workdir) return `the working directory ${job.workdir} was replaced by a link`;
  if (!lab.allows(job.workdir)) return `the working directory ${job.workdir} is not allowed here any more`;
  const refused = await access(program, constants.X_OK).then(
    () => false,
    () => true,
  );
  return refused ? `the lab CLI ${program} is gone or not executable` : undefined;
}
