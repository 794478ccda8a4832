/** Reads the output of running jobs while a client follows. Progress is transient: it is not in the journal and has no id. */
import type { JobService } from '../jobs/job-service.ts';
import { Disposer, every } from '../lib/async/disposal.ts';
import type { Feed } from './feed.ts';
import type { EventJob, Progress } from './model/event.ts';

const lookMs = 1_000;

interface ProgressWatchDeps {
  readonly jobs: Pick<JobService, 'get'>;
  readonly feed: Feed;
}

interface Told extends Progress {
  /** Rises with all progress. */
  readonly version: number;
}

export class ProgressWatch {
  readonly #deps: ProgressWatchDeps;
  /** By the id of the job, the one that changed last at the end. */
  readonly #latest = new Map<string, Told>();
  #version = 0;
  #wanting = 0;
  #isLooking = false;
  readonly #disposer = new Disposer();

  constructor(deps: ProgressWatchDeps) {
    this.#deps = deps;
  }

  /** The version of the latest progress. */
  get version(): number {
    return this.#version;
  }

  /** Watches until the result is called as often as this. */
  want(): () => void {
    this.#wanting += 1;
    if (this.#wanting === 1) this.#disposer.add(every(lookMs, () => void this.#look()));
    return () => {
      this.#wanting -= 1;
      if (this.#wanting === 0) this.#disposer.dispose();
    };
  }

  /** The last progress of each running job that is newer than that version. */
  after(version: number): readonly Progress[] {
    if (version === this.#version) return [];
    return [...this.#latest.values()].filter((told) => told.version > version);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { jobs } = this.#deps.feed.state;
    const before = this.#version;
    for (const id of this.#latest.keys()) if (!jobs.has(id)) this.#latest.delete(id);
    for (const job of jobs.values()) if (job.startedAt !== null) await this.#lookAt(job);
    this.#isLooking = false;
    if (this.#version !== before) this.#deps.feed.wake();
  }

  async #lookAt({ id }: EventJob): Promise<void> {
    const view = await this.#deps.jobs.get(id).catch(() => undefined);
    // The end of a job is already published, so no progress may follow.
    const job = this.#deps.feed.state.jobs.get(id);
    if (!view?.progress || !job || view.progress.message === this.#latest.get(id)?.message) return;
    this.#version += 1;
    this.#latest.delete(id);
    this.#latest.set(id, { job, ...view.progress, version: this.#version });
  }
}
