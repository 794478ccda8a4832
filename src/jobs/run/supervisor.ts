/** Takes each job from `running` to its end: starts or adopts its process, waits, ends it when asked, and finishes it. */
import { messageOf } from '../../lib/app-error.ts';
import { deferred } from '../../lib/async/deferred.ts';
import type { Logger } from '../../lib/logger.ts';
import { isTransient } from '../../lib/is-transient.ts';
import type { ProcessIdentity } from '../../lib/processes/processes.ts';
import type { Job } from '../model/job.ts';
import type { LabPort } from '../model/lab-port.ts';
import type { JobStore } from '../store/job-store.ts';
import { JobFinisher } from './job-finisher.ts';
import { LimitWatch } from './limit-watch.ts';
import { JobTerminator, type RunningJob } from './job-terminator.ts';
import type { PostponedStarts } from './job-queue.ts';
import { type ProcessEnd, startProcess, type JobProcess } from './process.ts';
import { checkStart, type StartCheck } from './start-check.ts';

/** They may change while jobs run. */
export interface RunLimits {
  /** Between SIGINT and SIGTERM, and between SIGTERM and SIGKILL. */
  readonly cancelGraceMs: number;
  /** For jobs that start from now on: what readers of a log already have must not be cut off. */
  readonly maxLogSizeBytes: number;
}

interface SupervisorDeps {
  readonly store: JobStore;
  readonly postponed: PostponedStarts;
  readonly lab: LabPort;
  readonly log: Logger;
  readonly limits: RunLimits;
  /**
   * Sees to it that what is left of an `up` is taken down, when its client wants that (`onCancel`, `onFailure`). Gives the id
   * of the job that does so, or null. Never rejects.
   */
  readonly cleanUp: (up: Job) => Promise<string | null>;
  /** Why a job has become pointless at its turn; undefined when it is to start. */
  readonly whyObsolete: (job: Job) => Promise<string | undefined>;
  /** Called when a job would not end by SIGINT and SIGTERM, and had to be killed. */
  readonly onKill?: (() => void) | undefined;
}

/** The traces of a job of an earlier service, besides its end. */
interface Past {
  readonly identity: ProcessIdentity | undefined;
  /** Its cancel came before its end. */
  readonly signaled: boolean;
  /** When it ended, in ms since 1970; undefined when that is unknown. */
  readonly endedMs: number | undefined;
}

export class Supervisor {
  readonly #deps: SupervisorDeps;
  readonly #limits: LimitWatch;
  readonly #terminator: JobTerminator;
  readonly #finisher: JobFinisher;
  readonly #running = new Map<string, RunningJob>();

  constructor(deps: SupervisorDeps) {
    this.#deps = deps;
    this.#limits = new LimitWatch({ ...deps, stop: (id) => this.stop(id, { force: false }) });
    this.#terminator = new JobTerminator(deps);
    this.#finisher = new JobFinisher(deps);
  }

  /**
   * Starts the lab CLI of a job that is `running` on record; resolves when the job has ended, or is queued again because
   * it cannot be started now. Never rejects. Calls `onStarted` when the process is there and noted; not when it cannot be
   * started.
   */
  async run(job: Job, onStarted: () => void): Promise<void> {
    await this.#guard(job, async (running) => {
      try {
        const check = await checkStart(job, this.#deps);
        if (check.kind === 'refused')
          return await this.#finisher.finishUnstarted(job.id, check.why, 'spawn-error');
        if (check.kind === 'obsolete') return await this.#finisher.finishObsolete(job.id, check.why);
        running.process = await this.#start(job, check);
      } catch (error) {
        return this.#cannotStart(job, error);
      }
      onStarted();
      return this.#attend(job, running, running.process);
    });
  }

  async #cannotStart({ id, command }: Job, error: unknown): Promise<void> {
    const cause = messageOf(error);
    const why = `cannot start ${command[0]}: ${cause}`;
    if (!isTransient(error)) return this.#finisher.finishUnstarted(id, why, 'spawn-error');
    this.#deps.postponed.set(id, cause);
    this.#deps.log.error('a job cannot be started now', { job: id, cause });
    return this.#finisher.putBack(id);
  }

  async #start(job: Job, { cwd, held, close }: Extract<StartCheck, { kind: 'ready' }>): Promise<JobProcess> {
    const { store, lab } = this.#deps;
    const { id, command, workdir } = job;
    try {
      return await startProcess({
        id,
        paths: store.paths(id),
        command,
        workdir,
        cwd,
        held,
        env: lab.environment(job),
        runAs: lab.runAs?.(job),
      });
    } finally {
      await close();
    }
  }

  /**
   * Goes on with a job whose process an earlier service started; resolves when the job has ended, or is queued again
   * because nothing of it began. Never rejects.
   */
  async adopt(job: Job, process: JobProcess): Promise<void> {
    await this.#guard(job, async (running) => {
      running.process = process;
      await this.#attend(job, running, process);
    });
  }

  /** Ends a job by what an earlier service left of it. Never rejects. */
  async conclude(job: Job, end: ProcessEnd, past: Past): Promise<void> {
    await this.#guard(job, async (running) => {
      // A cancel that the service did not see through may have left something that escaped from the group.
      const mustSweep = end.kind === 'lost' || past.signaled;
      const leftovers = mustSweep ? await this.#terminator.killAll(job.id, past.identity) : [];
      const stopping = { signaled: past.signaled, leftovers };
      await this.#finisher.finish(
        job.id,
        { end, stopping },
        { endedMs: past.endedMs ?? Date.now(), stopped: running.stopped.signal },
      );
    });
  }

  /** Puts a job back into the queue that is `running` on record, and whose lab CLI was not started. Never rejects. */
  async putBack(job: Job): Promise<void> {
    await this.#guard(job, async () => this.#finisher.putBack(job.id));
  }

  /** Begins to end a job whose `stopRequest` is on record. May be called again; only `force` changes anything then. */
  stop(id: string, options: { force: boolean }): void {
    const running = this.#running.get(id);
    if (!running) return;
    if (options.force) running.forceKill.abort();
    running.stopped.abort();
    // Not started yet: once the process is there, `#attend` looks at the record.
    if (running.process) running.stopping ??= this.#terminator.stop(running, running.process);
  }

  async #guard({ id }: Job, work: (running: RunningJob) => Promise<void>): Promise<void> {
    const forceKill = new AbortController();
    const running: RunningJob = {
      id,
      process: undefined,
      stopping: undefined,
      forceKill,
      stopped: new AbortController(),
      gaveUp: deferred(),
    };
    this.#running.set(id, running);
    this.#deps.store.limitLog(id, this.#deps.limits.maxLogSizeBytes);
    try {
      await work(running);
    } catch (error) {
      // A bug; but the job must not stay "running" for ever because of it.
      this.#deps.log.error('supervision of a job failed', { job: id, cause: messageOf(error) });
      await this.#terminator.killAll(id, running.process?.identity);
      const stopping = { signaled: false, leftovers: [] };
      await this.#finisher
        .finish(id, { end: { kind: 'lost' }, stopping }, { stopped: running.stopped.signal })
        .catch(() => undefined);
    } finally {
      this.#running.delete(id);
    }
  }

  async #attend(job: Job, running: RunningJob, process: JobProcess): Promise<void> {
    const { id } = job;
    const { log } = this.#deps;
    const limits = this.#limits.watch(job);
    try {
      // A cancel that came before there was a process to signal, or before the service was restarted.
      const current = await this.#deps.store.get(id);
      if (current?.stopRequest) this.stop(id, { force: false });
      const end = await Promise.race([process.ended, running.gaveUp.promise]);
      limits.stopClock();
      const stopping = running.stopping
        ? await running.stopping
        : await this.#terminator.sweepAfter(id, end, process);
      if (end.kind !== 'unstarted')
        return await this.#finisher.finish(id, { end, stopping }, { stopped: running.stopped.signal });
      // By a cancel that was quicker, as a rule; else something is wrong with the machine.
      if (!running.stopping) log.error('the shim of a job ended before it started the lab CLI', { job: id });
      return await this.#finisher.putBack(id);
    } finally {
      limits.dispose();
    }
  }
}
