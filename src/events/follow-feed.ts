import { deferred } from '../lib/async/deferred.ts';
import { Disposer } from '../lib/async/disposal.ts';
import type { Feed } from './feed.ts';
import type { Place } from './journal.ts';
import type { LabWatch } from './lab-watch.ts';
import type { EventType } from './model/event.ts';
import { eventMatcher, type EventFilter } from './model/event-filter.ts';
import type { EventService, News } from './model/event-service.ts';
import type { ProgressWatch } from './progress-watch.ts';

interface FollowDeps {
  readonly feed: Feed;
  readonly labs: LabWatch;
  readonly progress: ProgressWatch;
}

type FollowOptions = Parameters<EventService['follow']>[0];

function isWanted({ types }: EventFilter, type: EventType): boolean {
  return types?.includes(type) ?? true;
}

/** After so many filtered events, the client gets its position: otherwise its id would become too old. */
const positionEvery = 100;

/** Resolves when something is new that the follower has not seen, or when the signal is aborted. */
async function untilNews({ feed, progress }: FollowDeps, seen: Seen, signal: AbortSignal): Promise<void> {
  const isNew = (): boolean =>
    feed.end.place.number !== seen.place.number || progress.version !== seen.progressVersion;
  if (isNew() || signal.aborted) return;
  const news = deferred<void>();
  const end = (): void => news.resolve();
  const stop = feed.onNews(end);
  signal.addEventListener('abort', end, { once: true });
  await news.promise;
  signal.removeEventListener('abort', end);
  stop();
}

/** How far a follower has come. */
interface Seen {
  readonly place: Place;
  readonly progressVersion: number;
}

async function* tellSnapshot(
  { feed, labs, progress }: FollowDeps,
  { filter }: FollowOptions,
): AsyncGenerator<News, Seen> {
  const wantsLabs = isWanted(filter, 'lab');
  if (wantsLabs) await labs.ready();
  const wants = eventMatcher(filter);
  // A consistent snapshot: later changes follow it, however slowly the client reads.
  const { end, state } = feed;
  const seen = { place: end.place, progressVersion: progress.version };
  const [knownJobs, knownLabs] = [[...state.jobs.values()], [...state.labs.values()]];
  const seenAt = wantsLabs ? labs.seenAt : null;
  yield { kind: 'snapshot' };
  for (const job of knownJobs) if (wants.job(job)) yield { kind: 'known-job', job };
  for (const lab of knownLabs) if (wants.lab(lab)) yield { kind: 'known-lab', lab };
  yield { kind: 'ready', id: end.id, labsSeenAt: seenAt };
  return seen;
}

async function* tellNews(
  deps: FollowDeps,
  start: Seen,
  { filter, withProgress, signal }: FollowOptions,
): AsyncGenerator<News> {
  const { feed, progress } = deps;
  const wants = eventMatcher(filter);
  let { place, progressVersion } = start;
  for (let unwanted = 0; ;) {
    const part = await feed.read(place);
    if (part === 'too-old') return;
    ({ next: place } = part);
    for (const event of part.events) {
      unwanted = wants.change(event.change) ? 0 : unwanted + 1;
      if (unwanted === 0) yield { kind: 'event', event };
      else if (unwanted % positionEvery === 0) yield { kind: 'position', id: event.id };
    }
    if (part.events.length > 0) continue;
    const latest = progress.after(progressVersion);
    progressVersion = progress.version;
    for (const news of latest)
      if (withProgress && wants.job(news.job)) yield { kind: 'progress', progress: news };
    if (signal.aborted) return;
    await untilNews(deps, { place, progressVersion }, signal);
  }
}

/** Implements `EventService.follow`. */
export async function* followFeed(deps: FollowDeps, options: FollowOptions): AsyncGenerator<News> {
  const { feed, labs, progress } = deps;
  const { after, filter, withProgress, signal } = options;
  const disposer = new Disposer();
  if (isWanted(filter, 'lab')) disposer.add(labs.want());
  if (withProgress && isWanted(filter, 'job')) disposer.add(progress.want());
  try {
    let place = after === undefined ? undefined : await feed.find(after);
    do {
      if (typeof place === 'string') yield { kind: 'reset', reason: place };
      const seen =
        typeof place === 'object'
          ? { place, progressVersion: progress.version }
          : yield* tellSnapshot(deps, options);
      yield* tellNews(deps, seen, options);
      // The next event of a connected follower is no longer kept.
      place = 'too-old';
    } while (!signal.aborted);
  } finally {
    disposer.dispose();
  }
}
