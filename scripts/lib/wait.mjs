import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from './words.mjs';

/**
 * Looks again and again, until `look` gives something true and does not fail.
 * @template Seen
 * @param {string} what for the error after `seconds`
 * @param {() => Promise<Seen>} look
 * @param {number} [seconds]
 * @returns {Promise<Seen>}
 */
export async function tries(what, look, seconds = 30) {
  const deadline = performance.now() + seconds * 1000;
  let last = '';
  while (performance.now() < deadline) {
    try {
      const seen = await look();
      if (seen) return seen;
    } catch (error) {
      last = `: ${messageOf(error)}`;
    }
    await delay(20);
  }
  throw new Error(`not within ${seconds} seconds: ${what}${last}`);
}
