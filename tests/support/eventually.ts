import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 20;
const deadlineMs = 45_000;

/** Thrown by a look that sees that the event cannot come any more. */
export class InVain extends Error {
  override readonly name = 'InVain';
}

/**
 * Waits for an event that nothing announces: until `look` gives something other than undefined, false or a failure.
 * The deadline is far above what any event takes, so that a busy machine alone makes no test fail.
 */
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
      if (error instanceof InVain) throw error;
      lastFailure = error;
    }
    await delay(pollMs);
  }
  throw new Error(`waited in vain: ${what}`, { cause: lastFailure });
}
