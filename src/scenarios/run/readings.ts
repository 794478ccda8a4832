/** The replies to the probes of one stream, and what is missing between them. All times are in ms since 1970. */

interface Reply {
  readonly sequence: number;
  /** When its probe was sent. */
  readonly sentMs: number;
}

/** Probes without a reply, one after the other. */
export interface Gap {
  /** When the first of them was sent. */
  readonly fromMs: number;
  readonly lost: number;
}

export interface Loss {
  readonly sent: number;
  readonly lost: number;
  readonly gaps: readonly Gap[];
  /** When the first probe was sent that was answered again; null when nothing was lost, or nothing came back. */
  readonly backMs: number | null;
  /** Whether the last probe was answered. */
  readonly isAnswered: boolean;
}

export class Readings {
  readonly #periodMs: number;
  /** By their sequence. The first one is made up: as if the probe before all others had been answered. */
  #replies: Reply[];

  /** `startedMs` is when the probe with the sequence 0 was sent, or a moment before it. */
  constructor(periodMs: number, startedMs: number) {
    this.#periodMs = periodMs;
    this.#replies = [{ sequence: -1, sentMs: startedMs - periodMs }];
  }

  /** Replies may overtake each other, and come twice. */
  add(reply: Reply): void {
    const place = this.#replies.findLastIndex(({ sequence }) => sequence <= reply.sequence);
    if (place >= 0 && this.#replies[place]?.sequence !== reply.sequence)
      this.#replies.splice(place + 1, 0, reply);
  }

  /** Forgets all that is only about the time before. */
  forget(beforeMs: number): void {
    this.#replies = this.#replies.slice(Math.max(0, this.#lastBefore(beforeMs)));
  }

  #lastBefore(ms: number): number {
    return this.#replies.findLastIndex(({ sentMs }) => sentMs < ms);
  }

  /**
   * The probes that were sent from `fromMs` until before `toMs`. A probe without a reply was sent between its neighbours, which
   * leave at equal distances. Replies that may still come count as lost: `toMs` must be long enough ago.
   */
  lossIn(fromMs: number, toMs: number): Loss {
    const isInside = (ms: number): boolean => ms >= fromMs && ms < toMs;
    const gaps: Gap[] = [];
    let sent = 0;
    let backMs: number | null = null;
    const first = Math.max(0, this.#lastBefore(fromMs));
    for (let index = first; index < this.#replies.length; index += 1) {
      const reply = this.#replies[index];
      const next = this.#replies[index + 1];
      if (reply === undefined || reply.sentMs >= toMs) break;
      if (reply.sequence >= 0 && isInside(reply.sentMs)) sent += 1;
      const gap = this.#gapBetween(reply, next, { fromMs, toMs });
      if (gap === undefined) continue;
      gaps.push(gap);
      // A reply that came when the time was over does not count.
      backMs = next !== undefined && isInside(next.sentMs) ? next.sentMs : null;
    }
    const lost = gaps.reduce((sum, gap) => sum + gap.lost, 0);
    const isAnswered = sent > 0 && (lost === 0 || backMs !== null);
    return { sent: sent + lost, lost, gaps, backMs, isAnswered };
  }

  /** The part of the gap behind a reply that is in the window. */
  #gapBetween(
    { sequence, sentMs }: Reply,
    next: Reply | undefined,
    { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  ): Gap | undefined {
    const missing = next ? next.sequence - sequence - 1 : Number.POSITIVE_INFINITY;
    const stepMs = next ? (next.sentMs - sentMs) / (missing + 1) : this.#periodMs;
    const first = Math.max(1, Math.ceil((fromMs - sentMs) / stepMs));
    const last = Math.min(missing, Math.ceil((toMs - sentMs) / stepMs) - 1);
    return last < first ? undefined : { fromMs: sentMs + first * stepMs, lost: last - first + 1 };
  }
}
