import type { Job } from '../client/api-types.ts';
import { hasEnded } from '../client/lab-api-client.ts';
import type { Reply } from './ask.ts';
import type { Told } from './tool.ts';

function hintFor({ id, action, state }: Job): string {
  if (!hasEnded(state))
    return `The job ${id} is ${state}. It continues in the background: call wait_for_job with this id until it has ended.`;
  if (state === 'success') return `The job ${id} (${action}) has succeeded.`;
  return `The job ${id} (${action}) has ${state === 'failed' ? 'failed' : `ended as ${state}`}: "error" says why, and read_log shows what it printed.`;
}

/** The fields of a job that an assistant needs: a whole job is long. */
function jobView(given: Job): object {
  const { id, action, state, cli, instance, workdir, workspace, source, createdAt, finishedAt } = given;
  const { exitCode, error, progress, warnings, labels, result, requestedBy } = given;
  const times = { createdAt, finishedAt };
  const outcome = { exitCode, error, progress: progress?.message ?? null, warnings, result };
  const place = { cli, lab: instance, workdir, workspace, source };
  return { id, action, state, ...place, labels, requestedBy, ...times, ...outcome };
}

export function tellJob({ data }: Reply): Told {
  const job = data as unknown as Job;
  return { hint: hintFor(job), data: jobView(job) };
}

export function tellJobs({ data }: Reply): Told {
  const { jobs, nextCursor } = data as unknown as { jobs: readonly Job[]; nextCursor: string | null };
  const hint = nextCursor === null ? undefined : `There are more: cursor "${nextCursor}" continues.`;
  const views = jobs.map((job) => {
    // wait_for_job has the results, which may be long.
    const { result: _long, ...view } = jobView(job) as Record<string, unknown>;
    return view;
  });
  return { hint, data: { jobs: views } };
}
