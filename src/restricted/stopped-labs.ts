/**
 * The labs that have ended and can be started again. No lab CLI lists them: they are known from the jobs that started and
 * stopped them, as long as those are kept.
 */
import { realpath } from 'node:fs/promises';
import type { JobSummaryView } from '../jobs/job-service.ts';
import { isTerminal } from '../jobs/model/job.ts';
import type { JobView } from '../jobs/model/job-view.ts';
import { specOf, startsLab } from '../labs/model/actions.ts';
import type { Labs, ListedLabs } from '../labs/labs.ts';
import type { UserJobs } from './user-jobs.ts';

export interface StoppedLab {
  /** The last `up` that succeeded in its directory: to run it again starts the lab again. */
  readonly start: JobView;
  /** When the last `down` ended, RFC 3339; null if the lab ended without one, such as with the machine. */
  readonly stoppedAt: string | null;
  readonly mayStart: boolean;
}

/** Records that are read for one answer. */
const mostLabs = 200;

interface Ended {
  readonly start: JobSummaryView;
  readonly stop: JobSummaryView | undefined;
}

/**
 * For each directory, the last one used first: the last `up` that succeeded there, and the `down` since. Nothing for a
 * directory where a job goes on.
 */
function endedIn(summaries: readonly JobSummaryView[]): Ended[] {
  const busy = new Set<string>();
  const stops = new Map<string, JobSummaryView>();
  const starts = new Map<string, JobSummaryView>();
  for (const job of summaries) {
    const { action, workdir, state } = job;
    const isStop = specOf(action).stopsLab === true;
    if (starts.has(workdir) || !(isStop || startsLab(action))) continue;
    if (!isTerminal(state)) busy.add(workdir);
    else if (state === 'success' && isStop && !stops.has(workdir)) stops.set(workdir, job);
    else if (state === 'success' && specOf(action).startsLab === true) starts.set(workdir, job);
  }
  return [...starts.values()]
    .filter(({ workdir }) => !busy.has(workdir))
    .map((start) => ({ start, stop: stops.get(start.workdir) }));
}

interface StoppedDeps {
  readonly labs: Pick<Labs, 'hasTopology'>;
  /** Those that the user may see. */
  readonly jobs: Pick<UserJobs, 'find' | 'summaries' | 'mayStart'>;
}

/** Newest first, 200 at most. `there` are the labs that are up now, also those that the user may not see. */
export async function stoppedLabs(deps: StoppedDeps, there: ListedLabs): Promise<readonly StoppedLab[]> {
  const { labs, jobs } = deps;
  const up = new Set(there.value.map(({ workdir }) => workdir));
  /** Labs whose directory is unknown. */
  const unplaced = new Set(there.value.filter(({ workdir }) => workdir === null).map(({ id }) => id));
  const ended = endedIn(jobs.summaries({}, Number.POSITIVE_INFINITY)).filter(
    ({ start }) => !up.has(start.workdir) && !unplaced.has(start.instance ?? ''),
  );
  const read = ended.slice(0, mostLabs).map(async ({ start, stop }): Promise<StoppedLab | undefined> => {
    const job = await jobs
      .find(start.id, 'read')
      .then(async (found) => found.view())
      .catch(() => undefined);
    if (!job || job.request['dryRun'] === true || there.missingClis.includes(job.cli ?? '')) return undefined;
    if (!(await canStart(job, labs))) return undefined;
    const { workdir, workspace } = job;
    return {
      start: job,
      stoppedAt: stop?.finishedAt ?? null,
      mayStart: jobs.mayStart('up', { workdir, workspace }),
    };
  });
  return (await Promise.all(read)).filter((lab) => lab !== undefined);
}

/** Whether its directory and its topology are there. */
async function canStart({ cli, workdir, request }: JobView, labs: StoppedDeps['labs']): Promise<boolean> {
  if (request['topology'] === undefined && request['topologyUrl'] === undefined) {
    const { topologyPath } = request;
    return labs.hasTopology(cli, workdir, typeof topologyPath === 'string' ? topologyPath : undefined);
  }
  return realpath(workdir).then(
    () => true,
    () => false,
  );
}
