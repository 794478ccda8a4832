/** Derives the changes of a job from its record, also changes that were not observed. */
import { eventJobSchema, goneJobSchema, type Change, type EventJob, type GoneJob } from './model/event.ts';
import {
  isTerminal,
  pickFields,
  transitions,
  unendedFields,
  type Job,
  type JobState,
} from '../jobs/model/job.ts';

/** The part of a record that events carry. */
export function eventJob(job: Job): EventJob {
  return pickFields(eventJobSchema.shape, job);
}

/** The part of a record that is still known when the files of the job are gone. */
export function goneJob(job: GoneJob): GoneJob {
  return pickFields(goneJobSchema.shape, job);
}

interface Step {
  readonly state: JobState;
  readonly at: string | null;
}

/** The states that a job has been in, as far as its record tells: what it was put back from has left no trace. */
function stepsOf({ state, createdAt, startedAt, finishedAt, stopRequest }: Job): Step[] {
  const wasCanceling = startedAt !== null && stopRequest?.reason === 'canceled';
  return [
    { state: 'queued', at: createdAt },
    ...(startedAt === null ? [] : [{ state: 'running', at: startedAt } as const]),
    ...(wasCanceling ? [{ state: 'canceling', at: stopRequest.at } as const] : []),
    ...(isTerminal(state) ? [{ state, at: finishedAt }] : []),
  ];
}

/** The job as it was in an earlier state. */
function inState(job: Job, state: JobState): EventJob {
  if (state === job.state) return eventJob(job);
  return eventJob({ ...job, ...unendedFields, state, ...(state === 'queued' && { startedAt: null }) });
}

/** The steps after `known`; none when the job is still in that state. */
function missingSteps(job: Job, known: JobState | undefined): Step[] {
  const steps = stepsOf(job);
  if (known === undefined) return steps;
  if (known === job.state) return [];
  const place = steps.findIndex(({ state }) => state === known);
  if (place >= 0) return steps.slice(place + 1);
  // Put back to the queue (`queued` is on the list and `running` is not), or canceled before it was started again.
  const back = transitions[known].includes(job.state) ? [] : steps.slice(0, -1);
  return [...back, ...steps.slice(-1)].filter(({ state }) => state !== known);
}

/**
 * The changes from the state `known` (undefined for a new job) to the state in the record, in order. Each has its time in the
 * record.
 */
export function changesTo(job: Job, known: JobState | undefined): Change[] {
  const now = new Date().toISOString();
  return missingSteps(job, known).map(({ state, at }, index) => ({
    event: 'job',
    data: {
      change: known === undefined && index === 0 ? 'created' : 'state',
      at: at ?? now,
      job: inState(job, state),
    },
  }));
}
