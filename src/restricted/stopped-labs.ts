/**
 * The labs that have ended and can be started again. No lab CLI lists them: they are known from the jobs that started and
 * stopped them, as long as those are kept.
 */
import { realpath } from 'node:fs/promises';
import type { JobSummaryView } from '../jobs/job-service.ts';
import { isTerminal } from '../jobs/model/job.ts';
import type { JobView } from '../jobs/model/job-view.ts';
import { actions, specOf, startsLab } from '../labs/model/actions.ts';
import type { Labs, ListedLabs } from '../labs/labs.ts';
import type { UserJobs } from './user-jobs.ts';

export interface StoppedLab {
  /** The last `up` that succeeded in its directory: to run it again starts the lab again. */
  readonly start: JobView;
  /** When the last `down` ended, RFC 3339; null if the lab ended without one, such as with the machine. */
  readonly stoppedAt: string | null;
  readonly mayStart: boolean;
}

/** The actions after which a lab is there, or is there no more. */
const labActions = actions.filter((action) => startsLab(action) || specOf(action).stopsLab === true);

/** Labs in one answer. */
const mostLabs = 200;
/** Directories that are read in parallel. */
const atOnce = 50;
/** Jobs of one directory: as many dry runs in a row may have come since. */
const mostJobs = 20;

/**
 * For each directory, the jobs that started and stopped its lab, newest first; the directory that was used last comes first.
 * Nothing for a directory where such a job waits or runs.
 */
function jobsByDirectory(summaries: readonly JobSummaryView[]): readonly (readonly JobSummaryView[])[] {
  const busy = new Set<string>();
  const byDirectory = new Map<string, JobSummaryView[]>();
  for (const job of summaries) {
    const { workdir, state } = job;
    if (!isTerminal(state)) busy.add(workdir);
    if (state !== 'success') continue;
    const known = byDirectory.get(workdir);
    if (known === undefined) byDirectory.set(workdir, [job]);
    else if (known.length < mostJobs) known.push(job);
  }
  return [...byDirectory].filter(([workdir]) => !busy.has(workdir)).map(([, jobs]) => jobs);
}

/** When the lab was stopped for the last time; null if it was started anew after that, or never stopped by a job. */
function stopAfter(jobs: readonly JobSummaryView[]): string | null {
  const [last] = jobs;
  return last && specOf(last.action).stopsLab === true ? last.finishedAt : null;
}

interface StoppedDeps {
  readonly labs: Pick<Labs, 'hasTopology'>;
  /** Those that the user may see. */
  readonly jobs: Pick<UserJobs, 'find' | 'summaries' | 'mayStart'>;
}

/** The labs that are up, also those that the user may not see. */
class LabsThere {
  readonly #directories: ReadonlySet<string | null>;
  /** Those whose directory is unknown. */
  readonly #unplaced: ReadonlySet<string>;
  readonly #missingClis: readonly string[];

  constructor({ value, missingClis }: ListedLabs) {
    this.#directories = new Set(value.map(({ workdir }) => workdir));
    const unplaced = value.filter(({ workdir }) => workdir === null);
    this.#unplaced = new Set(unplaced.map(({ cli, id }) => `${cli} ${id}`));
    this.#missingClis = missingClis;
  }

  /** Whether the lab of a job may be up. */
  mayHave({ workdir, cli, instance }: Pick<JobView, 'workdir' | 'cli' | 'instance'>): boolean {
    const isMissing = cli !== null && this.#missingClis.includes(cli);
    return this.#directories.has(workdir) || this.#unplaced.has(`${cli} ${instance}`) || isMissing;
  }
}

async function stoppedOf(
  ofDirectory: readonly JobSummaryView[],
  { labs, jobs }: StoppedDeps,
  there: LabsThere,
): Promise<StoppedLab | undefined> {
  for (const [at, { id, action }] of ofDirectory.entries()) {
    if (specOf(action).startsLab !== true) continue;
    const found = await jobs.find(id, 'read').catch(() => undefined);
    const start = await found?.view().catch(() => undefined);
    if (start === undefined || start.request['dryRun'] === true) continue;
    if (there.mayHave(start) || !(await canStart(start, labs))) return undefined;
    const { workdir, workspace } = start;
    return {
      start,
      stoppedAt: stopAfter(ofDirectory.slice(0, at)),
      mayStart: jobs.mayStart('up', { workdir, workspace }),
    };
  }
  return undefined;
}

/** Those that were used last come first, 200 at most. */
export async function stoppedLabs(deps: StoppedDeps, listed: ListedLabs): Promise<readonly StoppedLab[]> {
  const there = new LabsThere(listed);
  const directories = jobsByDirectory(deps.jobs.summaries({ actions: labActions }, Number.POSITIVE_INFINITY));
  const stopped: StoppedLab[] = [];
  for (let at = 0; at < directories.length && stopped.length < mostLabs; at += atOnce) {
    const some = directories.slice(at, at + atOnce).map(async (jobs) => stoppedOf(jobs, deps, there));
    stopped.push(...(await Promise.all(some)).filter((lab) => lab !== undefined));
  }
  return stopped.slice(0, mostLabs);
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
