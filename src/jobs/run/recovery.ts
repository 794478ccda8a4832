/** After a restart: what became of each job that was not finished. Looks at processes and files; assumes nothing. */
import { messageOf } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { hasProcFs, isAlive, type ProcessIdentity } from '../../lib/processes/processes.ts';
import { untilItWorks } from '../../lib/async/until-it-works.ts';
import type { Job } from '../model/job.ts';
import {
  exitTimeMs,
  preventStart,
  readExitStatus,
  readIdentity,
  writeIdentity,
  type JobPaths,
} from '../store/job-files.ts';
import type { JobStore } from '../store/job-store.ts';
import { findByJob, findShim } from './job-processes.ts';
import { endOfStatus, type ProcessEnd, adoptProcess } from './process.ts';
import type { Supervisor } from './supervisor.ts';

/** How many jobs went which way. */
export interface Recovered {
  readonly queued: number;
  readonly adopted: number;
  readonly finished: number;
  readonly interrupted: number;
}

export interface RecoveryDeps {
  readonly store: JobStore;
  readonly supervisor: Supervisor;
  readonly log: Logger;
  /** Takes the job's place and lock in the queue. */
  readonly hold: (job: Job) => void;
  readonly release: (id: string) => void;
  /** Puts the job at the head of the queue. */
  readonly wait: (job: Job) => void;
}

type Fate =
  | { readonly kind: 'unstarted' }
  | { readonly kind: 'alive'; readonly identity: ProcessIdentity }
  | { readonly kind: 'ended'; readonly end: ProcessEnd; readonly identity: ProcessIdentity | undefined };

/** The process of the job as long as it lives, also when the service ended between its start and the record of it. */
async function livingShim(id: string, recorded: ProcessIdentity | undefined) {
  if (recorded === undefined) return findShim(id);
  return isAlive(recorded) ? recorded : undefined;
}

async function findFate(id: string, paths: JobPaths): Promise<Fate> {
  const recorded = await readIdentity(paths);
  // Whether it lives is asked first. A process that writes its result and ends between the two questions is then adopted,
  // and found to have ended; the other way round, it would be taken for lost.
  const shim = await livingShim(id, recorded);
  const status = await readExitStatus(paths);
  if (status !== undefined) return { kind: 'ended', end: endOfStatus(status), identity: recorded };
  if (shim === undefined) {
    const beginning = await preventStart(paths);
    return beginning === 'may-have-begun'
      ? { kind: 'ended', end: { kind: 'lost' }, identity: recorded }
      : { kind: 'unstarted' };
  }
  if (recorded === undefined) await writeIdentity(paths, shim).catch(() => undefined);
  return { kind: 'alive', identity: shim };
}

/** The time of a file is that of the kernel's last tick (clock_getres(2), CLOCK_REALTIME_COARSE); that of a stop is exact. */
const fileTimeLagMs = 10;

/** Whether the job may have ended because of its cancel (or limit): the stop was asked for before the end. */
function wasStoppedFirst(job: Job, end: ProcessEnd, endedMs: number | undefined): boolean {
  if (!job.stopRequest) return false;
  return (
    end.kind === 'lost' || endedMs === undefined || endedMs + fileTimeLagMs >= Date.parse(job.stopRequest.at)
  );
}

/**
 * Reports the living processes of jobs whose records were set aside or cannot be read, at every start until they are gone.
 * Without its record, the purpose of a job is unknown, so it is not ended: a lab that is half-way up is worth more than none.
 * But its directory is not free either, though the queue takes it to be, so a person has to know.
 */
async function reportUnrecorded({ store, log }: RecoveryDeps): Promise<void> {
  try {
    const ids = new Set(await store.unrecorded());
    if (!hasProcFs || ids.size === 0) return;
    for (const [job, pids] of await findByJob(ids)) {
      log.error('a job without a sound record still runs; wait for its end or end it by hand', { job, pids });
    }
  } catch (error) {
    log.error('jobs without a sound record cannot be looked for', { cause: messageOf(error) });
  }
}

/**
 * Recovers a job that is neither queued nor finished on record. An adopted job goes on in the background; so do a
 * job that waits for the nodes of its lab, and a job whose files cannot be read now: its directory is taken until they can.
 */
export async function recoverJob(job: Job, deps: RecoveryDeps): Promise<keyof Recovered> {
  const paths = deps.store.paths(job.id);
  try {
    return await settle(job, await findFate(job.id, paths), deps);
  } catch (error) {
    deps.log.error('the state of a job could not be determined', { job: job.id, cause: messageOf(error) });
    deps.hold(job);
    // One that turns out to be unstarted is put back to the queue when its place is given back, and not before.
    const later = { ...deps, wait: () => undefined };
    void untilItWorks(async () => settle(job, await findFate(job.id, paths), later)).then((fate) => {
      if (fate !== 'adopted') deps.release(job.id);
    });
    return 'adopted';
  }
}

async function settle(job: Job, fate: Fate, deps: RecoveryDeps): Promise<keyof Recovered> {
  const { store, supervisor, log } = deps;
  const paths = store.paths(job.id);
  if (fate.kind === 'alive') {
    log.info('a running job was found again', { job: job.id, pid: fate.identity.pid });
    deps.hold(job);
    void supervisor.adopt(job, adoptProcess(fate.identity, paths)).then(() => deps.release(job.id));
    return 'adopted';
  }
  if (fate.kind === 'unstarted') return putBack(job, deps);
  const { end, identity } = fate;
  const endedMs = end.kind === 'lost' ? undefined : await exitTimeMs(paths);
  const past = { identity, endedMs, signaled: wasStoppedFirst(job, end, endedMs) };
  const conclude = async (): Promise<void> => {
    await supervisor.conclude(job, end, past);
    log.info('a job ended while the service was away', { job: job.id, state: store.summary(job.id)?.state });
  };
  if (job.request['waitReadySeconds'] !== undefined) {
    // Its nodes may take minutes, and the service does not start before this returns.
    deps.hold(job);
    void conclude().then(() => deps.release(job.id));
    return 'adopted';
  }
  await conclude();
  return end.kind === 'lost' ? 'interrupted' : 'finished';
}

/** Nothing of the job began: it keeps its turn. A cancel that came before wins. */
async function putBack(job: Job, { store, supervisor, log, wait }: RecoveryDeps): Promise<keyof Recovered> {
  await supervisor.putBack(job);
  const state = store.summary(job.id)?.state;
  log.info('nothing of a job was started before the service went down', { job: job.id, state });
  if (state !== 'queued') return 'finished';
  wait(job);
  return 'queued';
}

/** Adopts what lives and concludes what ended. */
export async function recoverJobs(deps: RecoveryDeps): Promise<Recovered> {
  const counts = { queued: 0, adopted: 0, finished: 0, interrupted: 0 };
  await reportUnrecorded(deps);
  // The newest first: of those that are put back to the head of the queue, the oldest is to be the first.
  for (const job of deps.store.unfinished().toReversed())
    counts[job.state === 'queued' ? 'queued' : await recoverJob(job, deps)] += 1;
  return counts;
}
