/**
 * Ends the script with this sentence unless it is so.
 * @param {unknown} condition
 * @param {string} text
 * @returns {asserts condition}
 */
export function must(condition, text) {
  if (!condition) throw new Error(text);
}
