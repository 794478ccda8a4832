/** The end of a lab: as text, and as the choices of the user. */
import type { LabChange } from '../../../../../src/client/api-types.ts';
import { durationText } from '../duration-text.ts';

/** `14:05` for today, `Nov 23, 14:05` for other days, in the language of the user. */
export function momentText(at: Date, now: Date = new Date()): string {
  const isToday = at.toDateString() === now.toDateString();
  return at.toLocaleString(undefined, {
    ...(!isToday && { month: 'short', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  });
}

/** The end plus `hours`; from now on if the lab has no end, or the end has passed. */
export function laterEnd(expiresAt: string | null, hours: number, nowMs: number): Date {
  const fromMs = expiresAt === null ? nowMs : Math.max(nowMs, Date.parse(expiresAt));
  return new Date(fromMs + hours * 3_600_000);
}

const steps = [
  { hours: 1, text: '1 h' },
  { hours: 4, text: '4 h' },
];

interface QuickEnd {
  readonly text: string;
  readonly at: Date;
  /** As the request has it. The longest time is a number of seconds: the clock of the service decides. */
  readonly change: LabChange;
}

/** The ends that one click sets; `maxMs` is the longest time from now that the server allows, or infinity. */
export function quickEnds(expiresAt: string | null, nowMs: number, maxMs: number): QuickEnd[] {
  const ends = steps.map(({ hours, text }): QuickEnd => {
    const at = laterEnd(expiresAt, hours, nowMs);
    return {
      text: expiresAt === null ? `End in ${text}` : `+${text}`,
      at,
      change: { expiresAt: at.toISOString() },
    };
  });
  if (maxMs === Number.POSITIVE_INFINITY) return ends;
  const longest = {
    text: `As long as allowed: ${durationText(maxMs)}`,
    at: new Date(nowMs + maxMs),
    change: { ttlSeconds: maxMs / 1000 },
  };
  // The clocks of page and service differ by up to a second.
  return [...ends.filter(({ at }) => at.getTime() + 2000 < longest.at.getTime()), longest];
}

/** Why a lab cannot end then; undefined when it can. */
export function wrongEnd(end: Date, nowMs: number, maxMs: number): string | undefined {
  if (Number.isNaN(end.getTime())) return 'enter a date and a time';
  if (end.getTime() <= nowMs) return 'this time has passed; "Stop" stops the lab now';
  if (end.getTime() <= nowMs + maxMs) return undefined;
  return `on this server, labs live for ${durationText(maxMs)} at most: until ${momentText(new Date(nowMs + maxMs))}`;
}

/** The value for `<input type="datetime-local">`: local time, to the minute. */
export function localInputText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
