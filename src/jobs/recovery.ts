/** After a restart: what became of each job that was not finished. Looks at processes and files; assumes nothing. */
import { messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import { hasProcFs, isAlive, type ProcessIdentity } from '../lib/processes.ts';
import type { Job } from './job.ts';
import {
  exitTimeMs,
  readExitStatus,
  readIdentity,
  wasStarted,
  writeDurably,
  type JobPaths,
} from './job-files.ts';
import { adoptProcess, endOfStatus, findByJob, findShim, type ProcessEnd } from './process.ts';
import type { JobStore } from './store.ts';
import type { Supervisor } from './supervisor.ts';

/** How many jobs went which way. */
export interface Recovered {
  readonly queued: number;
  readonly adopted: number;
  readonly finished: number;
  readonly interrupted: number;
}

interface RecoveryDeps {
  readonly store: JobStore;
  readonly supervisor: Supervisor;
  readonly log: Logger;
  /** Takes the job's place and lock in the queue. */
  readonly hold: (job: Job) => void;
  readonly release: (id: string) => void;
}

type Fate =
  | { readonly kind: 'unstarted' }
  | { readonly kind: 'alive'; readonly identity: ProcessIdentity }
  | { readonly kind: 'ended'; readonly end: ProcessEnd; readonly identity: ProcessIdentity | undefined };

async function findFate(id: string, paths: JobPaths): Promise<Fate> {
  const recorded = await readIdentity(paths);
  // Aliveness before the result: a process that writes its result in between is then adopted and found to have ended.
  const isRecordedAlive = recorded !== undefined && isAlive(recorded);
  const status = await readExitStatus(paths);
  if (status !== undefined) return { kind: 'ended', end: endOfStatus(status), identity: recorded };
  if (isRecordedAlive) return { kind: 'alive', identity: recorded };
  // The service may have ended between the start of the process and the record of it.
  const shim = recorded === undefined ? await findShim(id) : undefined;
  if (shim === undefined) {
    const mayHaveRun = recorded !== undefined || (await wasStarted(paths).catch(() => true));
    return mayHaveRun ? { kind: 'ended', end: { kind: 'lost' }, identity: recorded } : { kind: 'unstarted' };
  }
  await writeDurably(paths.process, `${JSON.stringify(shim)}\n`).catch(() => undefined);
  return { kind: 'alive', identity: shim };
}

/** Whether the job's end may be the work of its cancel: it was asked for before the end. */
function wasStoppedFirst(job: Job, end: ProcessEnd, endedMs: number | undefined): boolean {
  if (!job.stopRequest) return false;
  return end.kind === 'lost' || endedMs === undefined || endedMs >= Date.parse(job.stopRequest.at);
}

/**
 * Names the processes of jobs whose records were set aside, at every start until they are gone. Without its record nobody
 * knows what a job is for, so it is not ended: a lab that is half-way up is worth more than none. But nobody must take
 * its directory for free either, so a person has to know.
 */
async function reportUnrecorded({ store, log }: RecoveryDeps): Promise<void> {
  try {
    const ids = new Set(await store.quarantined());
    if (!hasProcFs || ids.size === 0) return;
    for (const [job, pids] of await findByJob(ids)) {
      log.error('a job without a sound record still runs; wait for its end or end it by hand', { job, pids });
    }
  } catch (error) {
    log.error('jobs without a sound record cannot be looked for', { cause: messageOf(error) });
  }
}

/** Adopts what lives and concludes what ended; adopted jobs go on in the background. */
export async function recoverJobs(deps: RecoveryDeps): Promise<Recovered> {
  const { store, supervisor, log } = deps;
  const counts = { queued: 0, adopted: 0, finished: 0, interrupted: 0 };
  await reportUnrecorded(deps);
  for (const job of store.unfinished()) {
    if (job.state === 'queued') {
      counts.queued += 1;
      continue;
    }
    const paths = store.paths(job.id);
    const fate = await findFate(job.id, paths);
    if (fate.kind === 'alive') {
      counts.adopted += 1;
      log.info('a running job was found again', { job: job.id, pid: fate.identity.pid });
      deps.hold(job);
      void supervisor.adopt(job, adoptProcess(fate.identity, paths)).then(() => deps.release(job.id));
      continue;
    }
    if (fate.kind === 'unstarted') {
      counts.interrupted += 1;
      await supervisor.concludeUnstarted(job);
      continue;
    }
    const { end, identity } = fate;
    counts[end.kind === 'lost' ? 'interrupted' : 'finished'] += 1;
    const endedMs = end.kind === 'lost' ? undefined : await exitTimeMs(paths);
    await supervisor.conclude(job, end, { identity, endedMs, signaled: wasStoppedFirst(job, end, endedMs) });
    log.info('a job ended while the service was away', { job: job.id, state: store.summary(job.id)?.state });
  }
  return counts;
}
