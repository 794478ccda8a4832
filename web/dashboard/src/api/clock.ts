/** The time of the service: the clock of the browser may differ by minutes. */

/** A `Date` header has whole seconds (RFC 9110, section 6.6.1), and the reply takes a moment: a smaller difference is ignored. */
const toleranceMs = 3_000;

let aheadMs = 0;

/** Updates the clock from the `Date` header of a reply that has just arrived. */
export function noteDate(date: string | null): void {
  const ms = Date.parse(date ?? '');
  if (Number.isNaN(ms)) return;
  const ahead = ms + 500 - Date.now();
  aheadMs = Math.abs(ahead) < toleranceMs ? 0 : ahead;
}

/** In ms since 1970. */
export const serviceNow = (): number => Date.now() + aheadMs;
