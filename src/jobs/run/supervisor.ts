/** Takes one job from `running` to its end: starts or adopts its process, ends it when asked, and tells the truth. */
import { messageOf } from '../../lib/app-error.ts';
import { deferred, type Deferred } from '../../lib/deferred.ts';
import { Disposer, after, every } from '../../lib/disposal.ts';
import type { Logger } from '../../lib/logger.ts';
import type { ProcessIdentity } from '../../lib/processes.ts';
import { decideOutcome, isEndedHalfWay, type Outcome, type Stopping } from './job-outcome.ts';
import {
  cancelUnstarted,
  isTerminal,
  transition,
  type Job,
  type JobReason,
  type StopRequest,
} from '../model/job.ts';
import { readExitStatus, type ExitStatus } from '../store/job-files.ts';
import type { LabPort } from '../model/lab-port.ts';
import { logSize, readLogEnd } from '../log/log-file.ts';
import { endOfStatus, type ProcessEnd } from './process-end.ts';
import { startProcess, type JobProcess } from './process.ts';
import { untilItWorks } from '../../lib/until-it-works.ts';
import { lastMeaningfulLine } from '../log/progress.ts';
import type { JobStore } from '../store/job-store.ts';
import { terminate, type Termination } from './terminate.ts';
import { whyNotStart } from './why-not-start.ts';

const logLimitPollMs = 1_000;
const errorLogBytes = 32 * 1024;

interface SupervisorDeps {
  readonly store: JobStore;
  readonly lab: LabPort;
  readonly log: Logger;
  readonly cancelGraceMs: number;
  readonly maxLogSizeBytes: number;
  /**
   * Sees to it that what is left of an `up` with `onCancel: "down"` is taken down, when it was ended half-way. Gives the id
   * of the job that does so, or null. Never rejects.
   */
  readonly cleanUp: (up: Job) => Promise<string | null>;
}

/** What an earlier service left of a job besides how it ended. */
interface Past {
  readonly identity: ProcessIdentity | undefined;
  /** Its cancel came before its end. */
  readonly signaled: boolean;
  /** When it ended, in ms since 1970; undefined when nobody knows. */
  readonly endedMs: number | undefined;
}

/** One job in this service's hands. */
interface Charge {
  process: JobProcess | undefined;
  stopping: Promise<Stopping> | undefined;
  /** Aborted when nobody wants to wait for a polite end any more. */
  readonly hurry: AbortController;
  /** Resolves when a process cannot be killed: its end will not come. */
  readonly gaveUp: Deferred<ProcessEnd>;
}

const notStopped: Stopping = { signaled: false, leftovers: [] };

export class Supervisor {
  readonly #deps: SupervisorDeps;
  readonly #charges = new Map<string, Charge>();

  constructor(deps: SupervisorDeps) {
    this.#deps = deps;
  }

  /**
   * Starts the lab CLI of a job that is `running` on record; resolves when the job has ended. Never rejects. Calls
   * `onStarted` when the process is there and noted; not when it cannot be started.
   */
  async run(job: Job, onStarted: () => void): Promise<void> {
    await this.#guard(job, async (charge) => {
      const problem = await whyNotStart(job, this.#deps);
      if (problem !== undefined) return this.#finishUnstarted(job.id, problem);
      try {
        const paths = this.#deps.store.paths(job.id);
        const env = this.#deps.lab.environment();
        charge.process = await startProcess({
          id: job.id,
          paths,
          command: job.command,
          workdir: job.workdir,
          env,
        });
      } catch (error) {
        return this.#finishUnstarted(job.id, `cannot start ${job.command[0]}: ${messageOf(error)}`);
      }
      onStarted();
      return this.#attend(job, charge, charge.process);
    });
  }

  /** Goes on with a job whose process an earlier service started; resolves when the job has ended. Never rejects. */
  async adopt(job: Job, process: JobProcess): Promise<void> {
    await this.#guard(job, async (charge) => {
      charge.process = process;
      await this.#attend(job, charge, process);
    });
  }

  /** Ends a job by what an earlier service left of it. Never rejects. */
  async conclude(job: Job, end: ProcessEnd, past: Past): Promise<void> {
    await this.#guard(job, async () => {
      // A cancel that the service did not see through may have left something that escaped from the group.
      const mustSweep = end.kind === 'lost' || past.signaled;
      const leftovers = mustSweep ? await this.#killAll(job.id, past.identity) : [];
      await this.#finish(job.id, end, { signaled: past.signaled, leftovers }, past.endedMs);
    });
  }

  /** Ends a job that is `running` on record, and of which an earlier service started nothing. Never rejects. */
  async concludeUnstarted(job: Job): Promise<void> {
    const why =
      'the service or the machine went down before anything of the job was started; submit it again';
    await this.#guard(job, async () => this.#finishUnstarted(job.id, why, 'interrupted'));
  }

  /** Begins to end a job whose `stopRequest` is on record. May be called again; only `force` changes anything then. */
  stop(id: string, options: { force: boolean }): void {
    const charge = this.#charges.get(id);
    if (!charge) return;
    if (options.force) charge.hurry.abort();
    // Not started yet: once the process is there, `#attend` looks at the record.
    if (charge.process) charge.stopping ??= this.#terminate(id, charge, charge.process);
  }

  async #guard(job: Job, work: (charge: Charge) => Promise<void>): Promise<void> {
    const hurry = new AbortController();
    const charge: Charge = { process: undefined, stopping: undefined, hurry, gaveUp: deferred() };
    this.#charges.set(job.id, charge);
    try {
      await work(charge);
    } catch (error) {
      // A bug; but the job must not stay "running" for ever because of it.
      this.#deps.log.error('supervision of a job failed', { job: job.id, cause: messageOf(error) });
      await this.#killAll(job.id, charge.process?.identity);
      await this.#finish(job.id, { kind: 'lost' }, notStopped).catch(() => undefined);
    } finally {
      this.#charges.delete(job.id);
    }
  }

  async #attend(job: Job, charge: Charge, process: JobProcess): Promise<void> {
    const limits = this.#armLimits(job);
    try {
      // A cancel that came before there was a process to signal, or before the service was restarted.
      const current = await this.#deps.store.get(job.id);
      if (current?.stopRequest) this.stop(job.id, { force: false });
      const end = await Promise.race([process.ended, charge.gaveUp.promise]);
      limits.dispose();
      const stopping = charge.stopping ? await charge.stopping : await this.#sweepAfter(job.id, end, process);
      await this.#finish(job.id, end, stopping);
    } finally {
      limits.dispose();
    }
  }

  #armLimits(job: Job): Disposer {
    const limits = new Disposer();
    // A clock that was ahead when the job started, and was mended since, must not lengthen its limit.
    const startedMs = Math.min(Date.parse(job.startedAt ?? job.createdAt), Date.now());
    const restMs = Math.max(0, startedMs + job.timeoutMs - Date.now());
    limits.add(after(restMs, () => void this.#requestStop(job.id, 'timeout')));
    const { log } = this.#deps.store.paths(job.id);
    const checkLog = async (): Promise<void> => {
      if ((await logSize(log)) > this.#deps.maxLogSizeBytes) await this.#requestStop(job.id, 'log-limit');
    };
    limits.add(every(logLimitPollMs, () => void checkLog()));
    return limits;
  }

  /** Never rejects: it runs on a timer, and the job may have ended and gone meanwhile. */
  async #requestStop(id: string, reason: StopRequest['reason']): Promise<void> {
    const at = new Date().toISOString();
    try {
      const job = await this.#deps.store.update(id, (current) =>
        current.state === 'running' && !current.stopRequest
          ? { ...current, stopRequest: { reason, by: null, at } }
          : current,
      );
      if (job.stopRequest) this.stop(id, { force: false });
    } catch (error) {
      this.#deps.log.error('a job over its limit could not be ended', { job: id, cause: messageOf(error) });
    }
  }

  async #terminate(id: string, charge: Charge, process: JobProcess): Promise<Stopping> {
    // It has ended by itself: no signal of ours had a part in it, and its own outcome stands. A result that cannot be read
    // now must not keep processes alive, so this look is not repeated until it works.
    const ownEnd = await readExitStatus(this.#deps.store.paths(id)).catch(() => undefined);
    if (ownEnd !== undefined) return notStopped;
    const options = { graceMs: this.#deps.cancelGraceMs, hurry: charge.hurry.signal };
    const { signaled, leftovers } = await this.#end(id, process.identity, options);
    if (leftovers.length > 0) charge.gaveUp.resolve({ kind: 'lost' });
    // Nothing but the shim was there: either it was writing the result, or it had not begun. In the second case the lab CLI
    // may have come in time for our signal, which then stands in the result.
    const status = signaled ? undefined : await this.#exitStatus(id);
    const endedByItself = status !== undefined && endOfStatus(status).kind === 'exited';
    return { signaled: !endedByItself, leftovers };
  }

  /** Somebody killed the shim, which leaves the lab CLI without anybody who could tell how it ends. */
  async #sweepAfter(id: string, end: ProcessEnd, process: JobProcess): Promise<Stopping> {
    const shimTold = end.kind === 'exited' || (await this.#exitStatus(id)) !== undefined;
    return shimTold ? notStopped : { signaled: false, leftovers: await this.#killAll(id, process.identity) };
  }

  async #killAll(id: string, identity: ProcessIdentity | undefined): Promise<readonly number[]> {
    return (await this.#end(id, identity, { graceMs: 0, hurry: AbortSignal.abort() })).leftovers;
  }

  /** Goes on trying while the system cannot tell which processes there are. */
  async #end(
    id: string,
    identity: ProcessIdentity | undefined,
    options: Parameters<typeof terminate>[1],
  ): Promise<Termination> {
    return untilItWorks(
      async () => terminate({ id, identity }, options),
      (error) =>
        this.#deps.log.error('the processes of a job cannot be looked at now', {
          job: id,
          cause: messageOf(error),
        }),
    );
  }

  async #exitStatus(id: string): Promise<ExitStatus | undefined> {
    return untilItWorks(async () => readExitStatus(this.#deps.store.paths(id)));
  }

  async #finishUnstarted(id: string, why: string, reason: JobReason = 'spawn-error'): Promise<void> {
    await this.#deps.store.update(id, (job) => {
      if (isTerminal(job.state)) return job;
      if (job.state === 'canceling') return cancelUnstarted(job, job.stopRequest?.by ?? null);
      const finishedAt = new Date().toISOString();
      return transition(job, 'failed', { finishedAt, reason, error: why, logSize: 0 });
    });
  }

  async #finish(id: string, end: ProcessEnd, stopping: Stopping, endedMs = Date.now()): Promise<void> {
    const { store, lab, maxLogSizeBytes } = this.#deps;
    const { log } = store.paths(id);
    const verdict =
      end.kind === 'exited' && end.exitCode === 0
        ? await this.#verify(id, await readLogEnd(log, errorLogBytes))
        : undefined;
    // Here the log ends, for those who follow it too: what a stray prints from now on is not part of it.
    const size = store.freezeLog(id);
    const logEnd = await readLogEnd(log, errorLogBytes);
    // Queued and on record before this job is terminal: a crash in between makes neither none nor two of it.
    const cleanupJobId = await this.#cleanUpAfter(id, end, stopping);
    const finishedAt = new Date(Math.min(endedMs, Date.now())).toISOString();
    const message = lastMeaningfulLine(logEnd);
    await store.update(id, (job) => {
      if (isTerminal(job.state)) return job;
      const evidence = { end, stopping, logEnd, verdict, maxLogSizeBytes, cleanupJobId, lab };
      const outcome: Outcome = decideOutcome(job, evidence);
      const { state, ...facts } = outcome;
      const progress = message === null ? null : { message, at: finishedAt };
      return transition(job, state, {
        ...facts,
        cleanupJobId,
        finishedAt,
        logSize: size,
        progress,
        leftovers: [...stopping.leftovers],
      });
    });
  }

  async #cleanUpAfter(id: string, end: ProcessEnd, stopping: Stopping): Promise<string | null> {
    const job = await this.#deps.store.get(id);
    if (job?.request['onCancel'] !== 'down' || !isEndedHalfWay(job, { end, stopping })) return null;
    // A dry run starts nothing; what a "down" would find there belongs to somebody else.
    return job.request['dryRun'] === true ? null : this.#deps.cleanUp(job);
  }

  /** A check that itself fails is no proof that the action failed; it is reported and the exit code stands. */
  async #verify(id: string, logEnd: string): Promise<string | undefined> {
    const job = await this.#deps.store.get(id);
    if (!job) return undefined;
    return this.#deps.lab.verify(job, logEnd).catch((error: unknown) => {
      this.#deps.log.warn('the result of a job could not be verified', { job: id, cause: messageOf(error) });
      return undefined;
    });
  }
}
