/** The one stream of events of this page (`GET /events`): it tells what has changed, and that alone is asked for again. */
import { labIdOf } from './lab-id.ts';
import type { FeedNews } from '../../../../src/client/follow-events.ts';
import type { EventJob, Job, JobEvent } from '../../../../src/client/api-types.ts';
import { ServiceError } from '../../../../src/client/service-error.ts';
import { compareBuild } from './build.ts';
import { needsLogin, queryClient } from './query-client.ts';
import { Refreshing } from './refreshing.ts';
import { client } from './service.ts';
import { Store } from './store.ts';
import { whileWatched } from './watched.ts';

type Live =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** Lost at that time (ms since 1970); it is tried again and again. */
  | { readonly kind: 'away'; readonly sinceMs: number; readonly why: string };

export const live = new Store<Live>({ kind: 'connecting' });

/** The newest line of each running job that tells a person something. */
export const progress = new Store<ReadonlyMap<string, string>>(new Map());

/** What happened last to a job: for lists that are longer than what is asked for again. */
export const jobNews = new Store<JobEvent | undefined>(undefined);

/** How often lists are asked for again while much happens. */
const settleMs = 500;
/** The next attempt after a refusal. */
const refusedMs = 15_000;

/** Whether the service has said that it stops. */
let isStopping = false;

const refreshing = new Refreshing(async (queryKey) => queryClient.invalidateQueries({ queryKey }), settleMs);

/** Asks again for what begins with this key, soon. */
const refresh = (...key: readonly string[]): void => refreshing.note(key);

function noteProgress(id: string, message: string | undefined): void {
  const next = new Map(progress.get());
  if (message === undefined) next.delete(id);
  else next.set(id, message);
  progress.set(next);
}

function applyJob(event: JobEvent): void {
  const { change, job, message } = event;
  const { id } = job;
  if (change === 'progress') return noteProgress(id, message);
  jobNews.set(event);
  if (change === 'removed') {
    queryClient.removeQueries({ queryKey: ['job', id] });
  } else {
    queryClient.setQueryData<Job>(['job', id], (known) => known && { ...known, ...asKnown(job) });
    refresh('job', id);
  }
  if (job.finishedAt !== null) {
    noteProgress(id, undefined);
    // A job leaves files where it ran.
    refresh('workspace');
    // A lab may have an end now, which no event of the lab tells.
    refresh('labs');
    if (typeof job.instance === 'string') refresh('lab', labIdOf({ ...job, host: event.host }));
  }
  refresh('workspaces');
  refresh('jobs');
}

/** An event leaves out what has not changed. */
function asKnown(job: EventJob): Partial<Job> {
  return Object.fromEntries(Object.entries(job).filter(([, value]) => value !== undefined));
}

/** Asks for whatever may have happened while nobody told. */
function connected(): void {
  live.set({ kind: 'live' });
  void compareBuild();
  void queryClient.invalidateQueries();
}

function apply(news: FeedNews): void {
  switch (news.kind) {
    case 'job':
      return applyJob(news.data);
    case 'lab':
      refresh('labs');
      refresh('workspaces');
      refresh('workspace');
      return refresh('lab', labIdOf({ ...news.data.lab, host: news.data.host }));
    case 'ready':
      isStopping = false;
      return connected();
    case 'snapshot':
      return progress.set(new Map());
    case 'service':
      // Of a cluster, it may be another host.
      if (news.data.host === undefined) isStopping = news.data.change === 'stopping';
      return;
    case 'reset':
  }
}

function noteLoss(error: unknown): void {
  const before = live.get();
  const sinceMs = before.kind === 'away' ? before.sinceMs : Date.now();
  const said = error instanceof Error ? error.message : String(error);
  live.set({
    kind: 'away',
    sinceMs,
    why: isStopping ? 'The service was stopped, or is being started again.' : said,
  });
}

async function follow(signal: AbortSignal): Promise<void> {
  const onAnswer = (): void => {
    // At first, `ready` says that all is told; later there may be nothing to tell.
    if (live.get().kind === 'away') connected();
  };
  try {
    const patience = { patienceMs: Number.POSITIVE_INFINITY, onLost: noteLoss, onAnswer, signal };
    for await (const news of client.followEvents({}, patience)) apply(news);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof ServiceError && error.status === 401) {
      live.set({ kind: 'connecting' });
      return needsLogin.set(true);
    }
    noteLoss(error);
    // A proxy that answers in the place of the service, too many connections: it may pass, but not at once.
    setTimeout(() => {
      if (!signal.aborted) tryNow();
    }, refusedMs);
  }
}

let current: AbortController | undefined;

function begin(): void {
  if (current) return;
  current = new AbortController();
  void follow(current.signal);
}

function stop(): void {
  current?.abort();
  current = undefined;
}

/** Connects at once, in place of waiting for the next attempt. */
export function tryNow(): void {
  stop();
  begin();
}

/** Follows while somebody looks at the page; the result ends that. */
export function followLive(): () => void {
  const leave = (): void => {
    stop();
    // Nobody sees it; but whoever comes back does, before the first answer.
    live.set({ kind: 'connecting' });
  };
  const online = (): void => {
    if (live.get().kind === 'away' && current) tryNow();
  };
  window.addEventListener('online', online);
  const end = whileWatched(begin, leave);
  return () => {
    window.removeEventListener('online', online);
    end();
    stop();
  };
}
