import { appendFile } from 'node:fs/promises';
import { messageOf } from '../../lib/app-error.ts';
import { freeDiskBytes } from '../../lib/files/free-disk.ts';
import type { Logger } from '../../lib/logger.ts';
import { readLogEnd } from '../log/log-file.ts';
import { lastMeaningfulLine } from '../log/progress.ts';
import {
  cancelUnstarted,
  isTerminal,
  putBack,
  transition,
  wantsCleanUp,
  type Job,
  type JobReason,
} from '../model/job.ts';
import type { LabPort, UntilReady } from '../model/lab-port.ts';
import type { JobStore } from '../store/job-store.ts';
import {
  cleanUpFieldsOf,
  decideOutcome,
  isEndedHalfWay,
  mayHaveLeftLab,
  type Ending,
} from './job-outcome.ts';
import { readResult } from './read-result.ts';

/** With less, a disk counts as full: the next block of a log may not fit, and the last bytes can come and go. */
const fullBelowBytes = 64 * 1024;

/** How much of a log's end is read for error sentences. */
const logEndBytes = 32 * 1024;

/** How a job has waited for the nodes of its lab. */
interface Wait {
  readonly hasWaited: boolean;
  /** It was stopped meanwhile. */
  readonly isCut: boolean;
  /** Why they are not ready. */
  readonly late: string | undefined;
}

const never = new AbortController().signal;
const noWait: Wait = { hasWaited: false, isCut: false, late: undefined };

interface JobFinisherDeps {
  readonly store: JobStore;
  readonly lab: LabPort;
  readonly log: Logger;
  /** Queues the job that takes down what an `up` leaves; gives its id, or null. Never rejects. */
  readonly cleanUp: (up: Job) => Promise<string | null>;
}

/** Writes the last state of a job on record, from what was observed of its end. */
export class JobFinisher {
  readonly #deps: JobFinisherDeps;

  constructor(deps: JobFinisherDeps) {
    this.#deps = deps;
  }

  /** Finishes a job whose process has ended; `endedMs` is when, in ms since 1970. `stopped` is aborted when it is to stop. */
  async finish(
    id: string,
    observed: Ending,
    { endedMs = Date.now(), stopped = never }: Partial<Omit<UntilReady, 'say'>> = {},
  ): Promise<void> {
    const { store, lab } = this.#deps;
    const { log } = store.paths(id);
    const unproven = await this.#verify(id, observed);
    const wait = unproven === undefined ? await this.#untilReady(id, observed, { stopped, endedMs }) : noWait;
    const claim = unproven ?? wait.late;
    const ending = wait.isCut
      ? { ...observed, stopping: { ...observed.stopping, duringWait: true } }
      : observed;
    // Here the log ends, for those who follow it too: what a stray prints from now on is not part of it.
    const logSize = store.freezeLog(id);
    const logEnd = await readLogEnd(log, logEndBytes);
    const found = await this.#readResult(id, ending, logSize);
    const verdict = claim ?? (await this.#doubt(id, ending, found.result));
    const behind = verdict === undefined ? await this.#leftBehind(id, ending, logEnd) : [];
    // Queued and on record before this job is terminal: a crash in between makes neither none nor two of it.
    const cleanupJobId = await this.#cleanUpAfter(id, { ...ending, logEnd }, verdict === undefined);
    const free = await freeDiskBytes(store.directory);
    const fullDisk = free !== undefined && free < fullBelowBytes ? store.directory : undefined;
    const finishedAt = new Date(wait.hasWaited ? Date.now() : Math.min(endedMs, Date.now())).toISOString();
    const leftovers = [...ending.stopping.leftovers];
    const ended = await store.update(id, (job) => {
      if (isTerminal(job.state)) return job;
      const { result } = found;
      const isLate = wait.late !== undefined;
      const evidence = {
        ...ending,
        logEnd,
        verdict,
        isLate,
        maxLogSizeBytes: store.logLimit(id),
        fullDisk,
        cleanupJobId,
        result,
        lab,
      };
      const outcome = decideOutcome(job, evidence);
      const message = lastMeaningfulLine(logEnd, lab.nonProgress?.(job));
      const progress = message === null ? null : { message, at: finishedAt };
      const { state, ...facts } = outcome;
      const left = { cleanupJobId, mayHaveLeftLab: mayHaveLeftLab(job, outcome, evidence), leftovers };
      const warnings = [...job.warnings, ...found.warnings, ...behind];
      return transition(job, state, { ...facts, ...left, result, warnings, finishedAt, logSize, progress });
    });
    this.#report(ended);
  }

  /** Finishes a job that is `running` on record and whose lab CLI was not started; `why` is a sentence for a person. */
  async finishUnstarted(id: string, why: string, reason: JobReason): Promise<void> {
    const ended = await this.#deps.store.update(id, (job) => {
      if (isTerminal(job.state)) return job;
      if (job.state === 'canceling') return cancelUnstarted(job, job.stopRequest?.by ?? null);
      const finishedAt = new Date().toISOString();
      return transition(job, 'failed', { finishedAt, reason, error: why, logSize: 0 });
    });
    this.#report(ended);
  }

  /** Cancels a job that is `running` on record, whose lab CLI was not started, and that has become pointless. */
  async finishObsolete(id: string, why: string): Promise<void> {
    const ended = await this.#deps.store.update(id, (job) => {
      if (isTerminal(job.state)) return job;
      const at = new Date().toISOString();
      const stopRequest = job.stopRequest ?? { reason: 'canceled', by: null, at };
      const canceling = job.state === 'canceling' ? job : transition(job, 'canceling', { stopRequest });
      return { ...cancelUnstarted(canceling, stopRequest.by), error: `canceled before it started: ${why}` };
    });
    this.#report(ended);
  }

  /** One line for those who read the service's log and not the records: a warning for a failed job. */
  #report(job: Job): void {
    const { id, action, instance: lab, workdir, requestedBy, state, reason, exitCode, signal, error } = job;
    const durationMs = Math.max(0, Date.parse(job.finishedAt ?? '') - Date.parse(job.startedAt ?? ''));
    const level = state === 'failed' ? 'warn' : 'info';
    const facts = { job: id, action, lab, workdir, requestedBy, state, reason, exitCode, signal };
    this.#deps.log[level]('job finished', {
      ...facts,
      ...(error !== null && { error }),
      durationMs: Number.isNaN(durationMs) ? null : durationMs,
    });
  }

  /** Puts a job whose lab CLI was not started back into the queue, unless it was canceled meanwhile. */
  async putBack(id: string): Promise<void> {
    await this.#deps.store.update(id, (job) => {
      if (job.state === 'canceling') return cancelUnstarted(job, job.stopRequest?.by ?? null);
      return job.state === 'running' ? putBack(job) : job;
    });
  }

  /** The id of the job that takes down what this one leaves; null when there is none. */
  async #cleanUpAfter(
    id: string,
    ending: Ending & { readonly logEnd: string },
    isVerified: boolean,
  ): Promise<string | null> {
    const job = await this.#deps.store.get(id);
    const { lab } = this.#deps;
    if (!job || !cleanUpFieldsOf(job, ending, { lab, isVerified }).some((when) => wantsCleanUp(job, when)))
      return null;
    // A dry run and a refused "up" start nothing; a "down" would take away the lab of another user.
    const hasLeftNothing =
      job.request['dryRun'] === true || lab.cleanupHint(job, ending.logEnd) === undefined;
    return hasLeftNothing ? null : this.#deps.cleanUp(job);
  }

  /** Why an exit code of 0 is not to be believed, by what the action found out. */
  async #doubt(id: string, { end }: Ending, result: Job['result']): Promise<string | undefined> {
    if (end.kind !== 'exited' || end.exitCode !== 0 || result === null) return undefined;
    const job = await this.#deps.store.get(id);
    return job && this.#deps.lab.doubt?.(job, result);
  }

  /** Read from all of the log, and kept on disk, before the job is terminal: after a crash in between, this is done again. */
  async #readResult(
    id: string,
    ending: Ending,
    size: number | null,
  ): Promise<Pick<Job, 'result' | 'warnings'>> {
    const { store, lab, log } = this.#deps;
    const job = await store.get(id);
    if (!job) return { result: null, warnings: [] };
    const { end } = ending;
    const hasEnded = end.kind === 'exited' && !isEndedHalfWay(job, ending, lab);
    const exitCode = hasEnded ? end.exitCode : null;
    return readResult(job, { exitCode, size }, { paths: store.paths(id), lab, log });
  }

  /**
   * A sentence when the exit code is 0 and yet the action did not do what it says. A check that itself fails is no proof of
   * that; it is reported and the exit code stands.
   */
  async #verify(id: string, { end }: Ending): Promise<string | undefined> {
    if (end.kind !== 'exited' || end.exitCode !== 0) return undefined;
    const { store, lab, log } = this.#deps;
    const logEnd = await readLogEnd(store.paths(id).log, logEndBytes);
    const job = await store.get(id);
    if (!job) return undefined;
    return lab.verify(job, logEnd).catch((error: unknown) => {
      log.warn('the result of a job could not be verified', { job: id, cause: messageOf(error) });
      return undefined;
    });
  }

  /** After exit code 0, waits for the nodes of a lab whose job asks for that. */
  async #untilReady(id: string, { end }: Ending, how: Omit<UntilReady, 'say'>): Promise<Wait> {
    const { store, lab, log } = this.#deps;
    const job = await store.get(id);
    if (job?.request['waitReadySeconds'] === undefined || lab.untilReady === undefined) return noWait;
    if (end.kind !== 'exited' || end.exitCode !== 0) return noWait;
    const wait = { hasWaited: true, isCut: false };
    if (how.stopped.aborted || job.stopRequest !== null) return { ...wait, isCut: true, late: 'stopped' };
    const { log: file } = store.paths(id);
    let written = Promise.resolve();
    const say = (line: string): void => {
      // A full disk must not keep the job from its end.
      written = written.then(async () => appendFile(file, `${line}\n`)).catch(() => undefined);
    };
    try {
      return { ...wait, late: await lab.untilReady(job, { ...how, say }) };
    } catch (error) {
      if (how.stopped.aborted) return { ...wait, isCut: true, late: 'stopped' };
      log.warn('the nodes of a job could not be waited for', { job: id, cause: messageOf(error) });
      return { ...wait, late: `whether its nodes are ready is unknown: ${messageOf(error)}` };
    } finally {
      await written;
    }
  }

  /** Sentences for the warnings of a success. None when the check itself fails. */
  async #leftBehind(id: string, { end }: Ending, logEnd: string): Promise<readonly string[]> {
    if (end.kind !== 'exited' || end.exitCode !== 0) return [];
    const { store, lab, log } = this.#deps;
    const job = await store.get(id);
    if (!job || lab.leftBehind === undefined) return [];
    return lab.leftBehind(job, logEnd).catch((error: unknown) => {
      log.warn('what a job left could not be looked for', { job: id, cause: messageOf(error) });
      return [];
    });
  }
}
