/** The end of a lab as text. */

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

/** The value for `<input type="datetime-local">`: local time, to the minute. */
export function localInputText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
