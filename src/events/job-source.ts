/** Brings what becomes of jobs into the feed: as it happens, and at a start what the feed has missed. */
import type { Job, JobState } from '../jobs/model/job.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { JobSummary } from '../jobs/store/job-summary.ts';
import { Disposer } from '../lib/async/disposal.ts';
import type { Feed } from './feed.ts';
import { FeedState } from './feed-state.ts';
import { changesTo, eventJob, goneJob } from './job-steps.ts';
import type { EventJob } from './model/event.ts';

/** The jobs as they are, for a feed that begins anew. */
export function stateOf(store: JobStore): FeedState {
  const state = new FeedState();
  for (const job of store.unfinished()) state.jobs.set(job.id, eventJob(job));
  for (const { id } of store.select(() => true, 1_000).toReversed()) state.remember(id);
  return state;
}

export class JobSource {
  readonly #store: JobStore;
  readonly #feed: Feed;
  /** The last states of unfinished jobs that the feed received; it may not have published them yet. */
  readonly #told = new Map<string, JobState>();
  readonly #disposer = new Disposer();

  constructor(store: JobStore, feed: Feed) {
    this.#store = store;
    this.#feed = feed;
  }

  /**
   * Call when the records were read and nothing was made of them yet. `mayHaveMissed` when the feed goes on from an earlier
   * service, which may have been killed between a record and its event.
   */
  async open(mayHaveMissed: boolean): Promise<void> {
    for (const { id, state } of this.#feed.state.jobs.values()) this.#told.set(id, state);
    this.#listen();
    if (mayHaveMissed) await this.#catchUp();
  }

  #listen(): void {
    const store = this.#store;
    const onChange = (job: Job): void => this.#note(job);
    const onFound = (job: Job): void => this.#noteFound(job);
    const onRemoved = (summary: JobSummary): void => this.#noteRemoved(summary);
    store.on('change', onChange).on('found', onFound).on('removed', onRemoved);
    this.#disposer.add(() => {
      store.off('change', onChange).off('found', onFound).off('removed', onRemoved);
    });
  }

  async #catchUp(): Promise<void> {
    const { state } = this.#feed;
    const told = new Map(state.jobs);
    for (const { id, finishedAt } of this.#store.summaries()) {
      if (!told.has(id) && finishedAt !== null && state.hasTold(id)) continue;
      told.delete(id);
      // One that the disk does not give now comes as `found`, later.
      const job = await this.#store.get(id).catch(() => undefined);
      if (job) this.#noteFound(job);
    }
    for (const [id, job] of told) {
      const isGone = await this.#store.get(id).then(
        (found) => found === undefined,
        () => false,
      );
      if (isGone) this.#noteRemoved(job);
    }
  }

  /** A change of a job that the feed knows, or of one that was made just now. */
  #note(job: Job): void {
    const known = this.#told.get(job.id);
    // A finished job is written again if the first write failed.
    if (known === undefined && job.state !== 'queued' && !this.#isNew(job)) return;
    this.#tell(job, known);
  }

  /** A job that comes from its record, however far it has got. */
  #noteFound(job: Job): void {
    const known = this.#told.get(job.id);
    if (known === undefined && !this.#isNew(job)) {
      // Its end was published but not recorded, because the write failed. The next changes are published again.
      if (job.finishedAt === null) this.#told.set(job.id, job.state);
      return;
    }
    this.#tell(job, known);
  }

  #isNew({ id }: Job): boolean {
    return !this.#feed.state.hasTold(id);
  }

  #tell(job: Job, known: JobState | undefined): void {
    if (job.finishedAt === null) this.#told.set(job.id, job.state);
    else this.#told.delete(job.id);
    this.#feed.add(changesTo(job, known));
  }

  #noteRemoved(job: JobSummary | EventJob): void {
    this.#told.delete(job.id);
    const at = new Date().toISOString();
    this.#feed.add([{ event: 'job', data: { change: 'removed', at, job: goneJob(job) } }]);
  }

  close(): void {
    this.#disposer.dispose();
  }
}
