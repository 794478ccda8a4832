/** The operations of events for HTTP. */
import type { EventJob, EventLab, FeedEvent, Progress } from './event.ts';
import type { EventFilter } from './event-filter.ts';

/**
 * Why the feed cannot go on after an id. `other-feed`: it is of another data directory, or of a journal that was lost.
 * `too-old`: what came after it is kept no more. `unknown-id`: no event has it.
 */
export type ResetReason = 'other-feed' | 'too-old' | 'unknown-id';

/** The news for a client, in chronological order. */
export type News =
  /** The client must discard its state; a snapshot follows. */
  | { readonly kind: 'reset'; readonly reason: ResetReason }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'known-job'; readonly job: EventJob }
  | { readonly kind: 'known-lab'; readonly lab: EventLab }
  /** The snapshot is complete; the events after `id` follow. `labsSeenAt` is null if the labs are unknown or filtered out. */
  | { readonly kind: 'ready'; readonly id: string; readonly labsSeenAt: string | null }
  | { readonly kind: 'event'; readonly event: FeedEvent }
  | { readonly kind: 'progress'; readonly progress: Progress }
  /** Nothing of what came so far was for this client, and it resumes after `id`. */
  | { readonly kind: 'position'; readonly id: string };

interface FollowOptions {
  /** The id of the last event that the client has; undefined for none. */
  readonly after: string | undefined;
  readonly filter: EventFilter;
  /** Whether to look at what running jobs print. */
  readonly withProgress: boolean;
  /** Ends all followers after they have received all current events. */
  readonly signal: AbortSignal;
}

export interface EventService {
  /** Never throws. Goes on only as fast as the caller takes: nothing is kept for a slow one. */
  follow(options: FollowOptions): AsyncGenerator<News>;
}
