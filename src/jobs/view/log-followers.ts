import { isTerminal, type Job, type JobState } from '../model/job.ts';
import type { Followed, JobLog, LogExtent } from '../model/job-log.ts';
import type { JobStore } from '../store/job-store.ts';
import { LogTail } from './log-tail.ts';
import { logExtent, logStream, tailOffset } from '../log/log-file.ts';
import type { JobView } from '../model/job-view.ts';

interface FollowOptions {
  readonly id: string;
  /** In bytes. */
  readonly offset: number;
  /** Ends the following early. */
  readonly signal: AbortSignal;
}

async function* followTail(tail: LogTail, start: number, signal: AbortSignal): AsyncGenerator<Followed<Job>> {
  let offset = start;
  let state: JobState | undefined;
  let snapshot = await tail.next(undefined, signal);
  while (snapshot) {
    const { job, extent } = snapshot;
    if (job.state !== state && (state === undefined || !isTerminal(job.state))) {
      state = job.state;
      yield { kind: 'state', job };
    }
    const chunk = offset < extent.end ? await tail.read(offset, extent.end) : undefined;
    if (chunk && chunk.bytes.length > 0) {
      offset = chunk.nextOffset;
      yield { kind: 'log', chunk };
      snapshot = signal.aborted ? undefined : tail.snapshot;
    } else if (extent.complete) {
      if (job.state !== state) yield { kind: 'state', job };
      return;
    } else snapshot = await tail.next(snapshot, signal);
  }
}

/** The logs that are followed at the moment. */
export class LogFollowers {
  readonly #store: JobStore;
  readonly #tails = new Map<string, { readonly tail: LogTail; followers: number }>();

  /** By the snapshot of the log. */
  readonly #views = new WeakMap<object, Promise<JobView>>();

  constructor(store: JobStore) {
    this.#store = store;
  }

  /**
   * The log from `offset` on, chunk by chunk, until the job has ended and all of it was given; with it the job, as it is at
   * first and in every other state. The last state comes after the last chunk. Reads only as fast as the caller takes, so a
   * slow client costs nothing but its own time.
   * @throws AppError `job-not-found`, `log-not-found` (the job may be removed meanwhile), `storage-fault`.
   */
  async *follow({ id, offset, signal }: FollowOptions): AsyncGenerator<Followed<Job>> {
    const tail = this.#join(id);
    try {
      yield* followTail(tail, offset, signal);
    } finally {
      this.#leave(id);
    }
  }

  /** The extent of a log that is followed, as it was at the last look; undefined for a log that is not. */
  extentOf({ id, state }: Job): LogExtent | undefined {
    const snapshot = this.#tails.get(id)?.tail.snapshot;
    return snapshot?.job.state === state ? snapshot.extent : undefined;
  }

  /** The followers share the view of a job as long as its log does not grow. */
  async viewOf(job: Job, view: (job: Job) => Promise<JobView>): Promise<JobView> {
    const snapshot = this.#tails.get(job.id)?.tail.snapshot;
    if (snapshot?.job !== job) return view(job);
    const shared = this.#views.get(snapshot) ?? view(job);
    this.#views.set(snapshot, shared);
    return shared;
  }

  #join(id: string): LogTail {
    const entry = this.#tails.get(id) ?? { tail: new LogTail(this.#store, id), followers: 0 };
    entry.followers += 1;
    this.#tails.set(id, entry);
    return entry.tail;
  }

  #leave(id: string): void {
    const entry = this.#tails.get(id);
    if (!entry) return;
    entry.followers -= 1;
    if (entry.followers > 0) return;
    entry.tail.dispose();
    this.#tails.delete(id);
  }
}

interface LogDeps {
  readonly store: JobStore;
  readonly followers: LogFollowers;
  readonly view: (job: Job) => Promise<JobView>;
}

/**
 * The log of a job of this machine. With `isFollowed`, it shares the last known extent with the other followers, because a
 * thousand of them may come at once. @throws AppError `log-not-found`, `storage-fault`.
 */
export async function openJobLog(job: Job, deps: LogDeps, isFollowed = false): Promise<JobLog> {
  const { store, followers, view } = deps;
  const { log: file } = store.paths(job.id);
  const seen = isFollowed ? followers.extentOf(job) : undefined;
  const extent = seen ?? (await logExtent(job, file, () => store.frozenLogSize(job.id)));
  const follow: JobLog['follow'] = async function* (options): AsyncGenerator<Followed<JobView>> {
    for await (const news of followers.follow({ id: job.id, ...options }))
      yield news.kind === 'log' ? news : { kind: 'state', job: await followers.viewOf(news.job, view) };
  };
  return {
    state: job.state,
    extent,
    tailOffset: async (lines) => tailOffset(file, extent.end, lines),
    read: async (start, end) => logStream(file, start, end),
    follow,
  };
}
