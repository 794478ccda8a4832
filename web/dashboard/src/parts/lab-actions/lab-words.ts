/** How the end of a lab is told on the page. */

/** `14:05` for today, `Nov 23, 14:05` for any other day, in the words of the reader. */
export function momentText(at: Date, now: Date = new Date()): string {
  const isToday = at.toDateString() === now.toDateString();
  return at.toLocaleString(undefined, {
    ...(!isToday && { month: 'short', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  });
}

/** What `hours` more mean: after the end that the lab has, or from now when it has none or that is over. */
export function laterEnd(expiresAt: string | null, hours: number, nowMs: number): Date {
  const fromMs = expiresAt === null ? nowMs : Math.max(nowMs, Date.parse(expiresAt));
  return new Date(fromMs + hours * 3_600_000);
}

/** What `<input type="datetime-local">` wants: the time where the reader is, to the minute. */
export function localInputText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
