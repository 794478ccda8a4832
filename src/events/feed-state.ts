import { labKey, type Change, type EventJob, type EventLab } from './model/event.ts';
import { isTerminal } from '../jobs/model/job.ts';

/**
 * How many ids of new jobs are remembered. Jobs that are made at the same time come into the feed in any order, so the
 * newest id does not tell whether one below it came. Many more than are ever made at the same time.
 */
const rememberedIds = 200;

/** The state after all changes so far: the content of a snapshot, and the start of the journal after a restart. */
export class FeedState {
  /** Unfinished jobs by their ids. */
  readonly jobs = new Map<string, EventJob>();
  /** By `labKey`. */
  readonly labs = new Map<string, EventLab>();
  /** Sorted. */
  #recent: string[] = [];

  /** The ids of the newest jobs. */
  get recent(): readonly string[] {
    return this.#recent;
  }

  /** Notes that the feed knows of this job, though maybe from before its first event. */
  remember(id: string): void {
    const isNewest = id > (this.#recent.at(-1) ?? '');
    this.#recent.push(id);
    if (!isNewest) this.#recent = [...new Set(this.#recent)].toSorted();
    if (this.#recent.length > rememberedIds) this.#recent.shift();
  }

  /** Whether the feed has told of a job, or would have if there had been a feed. */
  hasTold(id: string): boolean {
    // While there are fewer, all that there ever were are among them.
    const isOld = this.#recent.length === rememberedIds && id < (this.#recent[0] ?? '');
    return isOld || this.jobs.has(id) || this.#recent.includes(id);
  }

  apply(change: Change): void {
    if (change.event === 'job') this.#applyJob(change.data);
    else if (change.event === 'lab') {
      const { lab, change: what } = change.data;
      if (what === 'gone') this.labs.delete(labKey(lab));
      // The others tell of a lease, and nothing of the lab.
      else if (what === 'appeared' || what === 'changed' || what === 'ready') {
        // An earlier version may have recorded it without its lab CLI.
        this.labs.delete(labKey({ ...lab, cli: null }));
        this.labs.set(labKey(lab), lab);
      }
    }
  }

  #applyJob(data: Extract<Change, { event: 'job' }>['data']): void {
    const { id, state } = data.job;
    if (data.change === 'removed' || isTerminal(state)) this.jobs.delete(id);
    else this.jobs.set(id, data.job);
    if (data.change === 'created') this.remember(id);
  }
}
