/** @typedef {() => number} Random From 0 to 1. */

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). @param {number} seed @returns {Random} */
export function makeRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of a list that is not empty. @template Item @param {Random} random @param {readonly Item[]} list @returns {Item} */
export const some = (random, list) => /** @type {Item} */ (list[Math.floor(random() * list.length)]);
