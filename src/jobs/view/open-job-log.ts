import { logExtent, logStream, tailOffset } from '../log/log-file.ts';
import type { Job } from '../model/job.ts';
import type { Followed, JobLog } from '../model/job-log.ts';
import type { JobView } from '../model/job-view.ts';
import type { JobStore } from '../store/job-store.ts';
import type { LogFollowers } from './log-followers.ts';

interface LogDeps {
  readonly store: JobStore;
  readonly followers: LogFollowers;
  readonly view: (job: Job) => Promise<JobView>;
}

/** The log of a job of this machine. @throws AppError `log-not-found`, `storage-fault`. */
export async function openJobLog(job: Job, { store, followers, view }: LogDeps): Promise<JobLog> {
  const { log: file } = store.paths(job.id);
  const extent = await logExtent(job, file, () => store.frozenLogSize(job.id));
  const follow: JobLog['follow'] = async function* (options): AsyncGenerator<Followed<JobView>> {
    for await (const news of followers.follow({ id: job.id, ...options }))
      yield news.kind === 'log' ? news : { kind: 'state', job: await view(news.job) };
  };
  return {
    state: job.state,
    extent,
    tailOffset: async (lines) => tailOffset(file, extent.end, lines),
    read: async (start, end) => logStream(file, start, end),
    follow,
  };
}
