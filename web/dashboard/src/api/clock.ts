/** What time it is for the service: the clock of the machine with the browser may be minutes apart. */

/** A `Date` header has whole seconds (RFC 9110, section 6.6.1), and the answer takes a moment: less than this is no difference. */
const toleranceMs = 3_000;

let aheadMs = 0;

/** Learns from the `Date` header of an answer that has just come. */
export function noteDate(date: string | null): void {
  const ms = Date.parse(date ?? '');
  if (Number.isNaN(ms)) return;
  const ahead = ms + 500 - Date.now();
  aheadMs = Math.abs(ahead) < toleranceMs ? 0 : ahead;
}

/** In ms since 1970. */
export const serviceNow = (): number => Date.now() + aheadMs;
