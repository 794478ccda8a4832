import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 20;
const deadlineMs = 20_000;

/** Waits for an event that nothing announces: until `look` gives something other than undefined, false or a failure. */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
): Promise<Exclude<T, undefined | false>> {
  const deadline = performance.now() + deadlineMs;
  let lastFailure: unknown;
  while (performance.now() < deadline) {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen as Exclude<T, undefined | false>;
    } catch (error) {
      lastFailure = error;
    }
    await delay(pollMs);
  }
  throw new Error(`waited in vain: ${what}`, { cause: lastFailure });
}
