/** From what was observed of a job's process to its terminal state. An end that was not observed is reported as unknown. */
import { formatDuration } from '../../lib/text/duration.ts';
import { harmlessTextLines } from '../../lib/text/harmless-text.ts';
import { formatSize } from '../../lib/text/size.ts';
import { specOf } from '../../labs/model/actions.ts';
import type { JobResult } from '../../labs/model/job-result.ts';
import type { CleanUpField, Job, JobReason, StopRequest } from '../model/job.ts';
import type { LabPort } from '../model/lab-port.ts';
import type { ProcessEnd } from './process.ts';

/** How we ended a job, if we did. */
export interface Stopping {
  /** Whether the lab CLI still ran when our first signal went out. If not, its own outcome stands. */
  readonly signaled: boolean;
  /** The lab CLI had ended, and the job was waiting for the nodes of its lab. */
  readonly duringWait?: boolean;
  /** Process ids that survived. */
  readonly leftovers: readonly number[];
}

export interface Outcome {
  readonly state: 'success' | 'failed' | 'canceled';
  readonly reason: JobReason;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly error: string | null;
}

/** The observed end of a job. */
export interface Ending {
  readonly end: ProcessEnd;
  readonly stopping: Stopping;
}

interface Evidence extends Ending {
  readonly logEnd: string;
  /** Why an exit code of 0 is not to be believed; undefined when it is. */
  readonly verdict: string | undefined;
  /** Whether that is only that nodes of the lab are not ready. */
  readonly isLate?: boolean;
  readonly maxLogSizeBytes: number;
  /** The full disk of its log: the lab CLI could not print why it failed. Absent: there is room. */
  readonly fullDisk?: string | undefined;
  /** The job that takes down what this one leaves; null when a person has to. */
  readonly cleanupJobId: string | null;
  /** The result of its action. */
  readonly result: JobResult | null;
  readonly lab: Pick<LabPort, 'errorSentence' | 'cleanupHint' | 'isSuccess'>;
}

function join(...parts: readonly (string | undefined)[]): string {
  return harmlessTextLines(parts.filter((part) => part !== undefined).join('; '));
}

function leftoverSentence(leftovers: readonly number[]): string | undefined {
  return leftovers.length === 0 ? undefined : `these processes could not be ended: ${leftovers.join(', ')}`;
}

function fullDiskSentence({ fullDisk }: Evidence): string | undefined {
  return fullDisk && `the disk of ${fullDisk} is full, and what it printed last may be lost: make room there`;
}

function stopSentence(job: Job, stop: StopRequest, maxLogSizeBytes: number): string {
  switch (stop.reason) {
    case 'canceled':
      return stop.by === null ? 'canceled' : `canceled by ${stop.by}`;
    case 'timeout':
      return `${job.action} took longer than its limit of ${formatDuration(job.timeoutMs)} and was ended`;
    case 'log-limit':
      return `the log grew over its limit of ${formatSize(maxLogSizeBytes)} and the job was ended`;
  }
}

type SuccessRules = Pick<LabPort, 'isSuccess'>;

/** Such an exit code is the lab CLI's own word that it did what it was asked to, even when our signal was on its way. */
function isDone(job: Job, end: ProcessEnd, lab: SuccessRules): boolean {
  return end.kind === 'exited' && lab.isSuccess(job, end.exitCode);
}

/** Whether we ended the job before it was done: canceled, or over one of its limits. */
export function isEndedHalfWay(job: Job, { end, stopping }: Ending, lab: SuccessRules): boolean {
  if (job.stopRequest === null) return false;
  return stopping.duringWait === true || (stopping.signaled && !isDone(job, end, lab));
}

/** The fields of the request that ask for a cleanup after an end like this one; none when the job succeeded. */
export function cleanUpFieldsOf(
  job: Job,
  ending: Ending,
  { lab, isVerified }: { readonly lab: SuccessRules; readonly isVerified: boolean },
): readonly CleanUpField[] {
  if (isEndedHalfWay(job, ending, lab))
    return job.stopRequest?.reason === 'canceled' ? ['onCancel'] : ['onCancel', 'onFailure'];
  return isDone(job, ending.end, lab) && isVerified ? [] : ['onFailure'];
}

/** Whether its action, when it fails by itself, leaves something behind. A dry run starts nothing. */
function leavesLab({ action, request }: Job): boolean {
  return specOf(action).cleanedUpBy !== undefined && request['dryRun'] !== true;
}

/** Whether something of a lab may be left where the job came to this end. */
export function mayHaveLeftLab(
  job: Job,
  { state, reason }: Outcome,
  { lab, logEnd }: Pick<Evidence, 'lab' | 'logEnd'>,
): boolean {
  if (state === 'success' || job.request['dryRun'] === true) return false;
  if (specOf(job.action).mayLeaveLab !== true) return false;
  return (reason !== 'exited' || leavesLab(job)) && lab.cleanupHint(job, logEnd) !== undefined;
}

export function decideOutcome(job: Job, evidence: Evidence): Outcome {
  const { end, stopping, lab, result } = evidence;
  const exitCode = end.kind === 'exited' ? end.exitCode : null;
  const signal = end.kind === 'signaled' ? end.signal : null;
  const leftovers = leftoverSentence(stopping.leftovers);
  const { cleanupJobId } = evidence;
  const manualHint = (): string | undefined =>
    evidence.isLate === true ? 'the lab is up' : lab.cleanupHint(job, evidence.logEnd);
  const hint = (): string | undefined =>
    cleanupJobId === null ? manualHint() : `${cleanupJobId} takes the lab down`;

  if (job.stopRequest && isEndedHalfWay(job, evidence, lab)) {
    const { reason } = job.stopRequest;
    const state = reason === 'canceled' && !leftovers ? 'canceled' : 'failed';
    const error = join(stopSentence(job, job.stopRequest, evidence.maxLogSizeBytes), leftovers, hint());
    return { state, reason, exitCode, signal, error };
  }
  if (end.kind === 'lost' || end.kind === 'unstarted') {
    const what = 'the service or the machine went down while the job ran, and how it ended is unknown';
    return { state: 'failed', reason: 'interrupted', exitCode, signal, error: join(what, leftovers, hint()) };
  }
  if (end.kind === 'signaled') {
    const sentence = lab.errorSentence(job, { exitCode, signal }, evidence.logEnd, result);
    const error = join(sentence, fullDiskSentence(evidence), leftovers, hint());
    return { state: 'failed', reason: 'signaled', exitCode, signal, error };
  }
  if (isDone(job, end, lab) && evidence.verdict === undefined) {
    return { state: 'success', reason: 'exited', exitCode, signal, error: null };
  }
  const what = evidence.verdict ?? lab.errorSentence(job, { exitCode, signal }, evidence.logEnd, result);
  const error = join(what, fullDiskSentence(evidence), leavesLab(job) ? hint() : undefined);
  return { state: 'failed', reason: 'exited', exitCode, signal, error };
}
