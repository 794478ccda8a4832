/** The one event stream of this page (`GET /events`). It reports changes, and only changed data is fetched again. */
import { labIdOf } from './lab-id.ts';
import type { FeedNews } from '../../../../src/client/follow.ts';
import type { EventJob, Job, JobEvent } from '../../../../src/client/api-types.ts';
import { ServiceError } from '../../../../src/client/service-error.ts';
import { compareBuild } from './build.ts';
import { fetchAgain, needsLogin, queryClient } from './query-client.ts';
import { Refreshing } from './refreshing.ts';
import { client } from './service.ts';
import { Store } from './store.ts';
import { whileWatched } from './watched.ts';

type Live =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** Lost at that time (ms since 1970); the client keeps reconnecting. */
  | { readonly kind: 'away'; readonly sinceMs: number; readonly why: string };

export const live = new Store<Live>({ kind: 'connecting' });

/** The newest progress line of each running job. */
export const progress = new Store<ReadonlyMap<string, string>>(new Map());

/** The newest change of a job, for lists that are longer than the page that is fetched again. */
export const jobNews = new Store<JobEvent | undefined>(undefined);

/** How often lists are fetched again while many events arrive. */
const settleMs = 500;
/** The delay of the next attempt after a refusal. */
const refusedMs = 15_000;

/** Whether the service has announced that it stops. */
let isStopping = false;

const refreshing = new Refreshing(fetchAgain, settleMs);

/** Fetches the queries that begin with this key again, soon. */
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
    // A job leaves files in its directory.
    refresh('workspace');
    // A lab may have a new expiry time, and no lab event reports that.
    refresh('labs');
    if (typeof job.instance === 'string') refresh('lab', labIdOf({ ...job, host: event.host }));
  }
  refresh('workspaces');
  refresh('jobs');
}

/** An event leaves out the fields that have not changed. */
function asKnown(job: EventJob): Partial<Job> {
  return Object.fromEntries(Object.entries(job).filter(([, value]) => value !== undefined));
}

/** Fetches all data again, because changes may have been missed. */
function connected(): void {
  live.set({ kind: 'live' });
  void compareBuild();
  void fetchAgain([]);
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
      // In a cluster, the event may be about another host.
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
    why: isStopping ? 'The service was stopped or is restarting.' : said,
  });
}

async function follow(signal: AbortSignal): Promise<void> {
  const onAnswer = (): void => {
    // The first time, `ready` marks the end of the replay; after a reconnect, there may be nothing to replay.
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
    // The cause may be temporary, such as an error of a proxy or too many connections: try again later.
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

/** Connects at once instead of waiting for the next attempt. */
export function tryNow(): void {
  stop();
  begin();
}

/** Follows the events while the page is visible. Returns a function that stops it; nothing is known of the connection then. */
export function followLive(): () => void {
  const leave = (): void => {
    stop();
    // A hidden page shows this state when it becomes visible, before the first answer.
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
    leave();
  };
}
