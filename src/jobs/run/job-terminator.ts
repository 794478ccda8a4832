import { messageOf } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import type { ProcessIdentity } from '../../lib/processes/processes.ts';
import { untilItWorks } from '../../lib/async/until-it-works.ts';
import { readExitStatus, type ExitStatus } from '../store/job-files.ts';
import type { JobStore } from '../store/job-store.ts';
import type { Stopping } from './job-outcome.ts';
import { endOfStatus, type ProcessEnd, type JobProcess } from './process.ts';
import { terminate, type Termination, type TerminateOptions } from './terminate.ts';
import type { Deferred } from '../../lib/async/deferred.ts';

/** A job that this service takes to its end. */
export interface RunningJob {
  readonly id: string;
  /** Undefined before it is started, or when an earlier service left no living process. */
  process: JobProcess | undefined;
  /** The end that was requested; undefined before. */
  stopping: Promise<Stopping> | undefined;
  /** Aborted when the job is to be killed at once: from then on its grace is over. */
  readonly forceKill: AbortController;
  /** Aborted when its end was requested. */
  readonly stopped: AbortController;
  /** Resolves when a process of the job cannot be killed: its own end may never come. */
  readonly gaveUp: Deferred<ProcessEnd>;
}

interface JobTerminatorDeps {
  readonly store: JobStore;
  readonly log: Logger;
  readonly limits: { readonly cancelGraceMs: number };
  /** Called when a job would not end by SIGINT and SIGTERM, and had to be killed. */
  readonly onKill?: (() => void) | undefined;
}

const notStopped: Stopping = { signaled: false, leftovers: [] };

/** Ends the processes of jobs, and finds out whether it was our signals that ended the lab CLI or the lab CLI itself. */
export class JobTerminator {
  readonly #deps: JobTerminatorDeps;

  constructor(deps: JobTerminatorDeps) {
    this.#deps = deps;
  }

  /** Ends a running job, politely at first. Never rejects. */
  async stop({ id, forceKill, gaveUp }: RunningJob, process: JobProcess): Promise<Stopping> {
    // When it has ended by itself already, no signal of ours had a part in that, and its own outcome stands. A result that
    // cannot be read now must not keep processes alive, so this look is not repeated until it works.
    const ownEnd = await readExitStatus(this.#deps.store.paths(id)).catch(() => undefined);
    if (ownEnd !== undefined) return notStopped;
    const options = { graceMs: this.#deps.limits.cancelGraceMs, forceKill: forceKill.signal };
    const { signaled, leftovers, neededKill } = await this.#terminate(id, process.identity, options);
    if (neededKill) this.#deps.onKill?.();
    if (leftovers.length > 0) gaveUp.resolve({ kind: 'lost' });
    // Nothing but the shim was there: either it was writing the result, or it had not started the lab CLI yet. In the second
    // case the lab CLI may have come just in time for our signal, and then the result says that a signal ended it.
    const status = signaled ? undefined : await this.#exitStatus(id);
    const endedByItself = status !== undefined && endOfStatus(status).kind === 'exited';
    return { signaled: !endedByItself, leftovers };
  }

  /**
   * Kills the rest of a job that ended without a request: when another program killed the shim, the lab CLI runs on,
   * and its end could not be observed. Never rejects.
   */
  async sweepAfter(id: string, end: ProcessEnd, { identity }: JobProcess): Promise<Stopping> {
    const shimTold = end.kind === 'exited' || (await this.#exitStatus(id)) !== undefined;
    return shimTold ? notStopped : { signaled: false, leftovers: await this.killAll(id, identity) };
  }

  /** Kills all processes of a job at once; gives the ids of those that survive. Never rejects. */
  async killAll(id: string, identity: ProcessIdentity | undefined): Promise<readonly number[]> {
    const options = { graceMs: 0, forceKill: AbortSignal.abort() };
    return (await this.#terminate(id, identity, options)).leftovers;
  }

  /** Goes on trying while the system cannot tell which processes there are. */
  async #terminate(
    id: string,
    identity: ProcessIdentity | undefined,
    options: TerminateOptions,
  ): Promise<Termination> {
    return untilItWorks(
      async () => terminate({ id, identity }, options),
      (error) =>
        this.#deps.log.error('the processes of a job could not be listed', {
          job: id,
          cause: messageOf(error),
        }),
    );
  }

  async #exitStatus(id: string): Promise<ExitStatus | undefined> {
    return untilItWorks(async () => readExitStatus(this.#deps.store.paths(id)));
  }
}
