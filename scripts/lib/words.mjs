/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** @param {string} text */
export const say = (text) => void process.stdout.write(`${text}\n`);

/** Something that worked. @param {string} text */
export const done = (text) => say(`\u2713 ${text}`);

/** Something that did not, or that was interrupted. @param {unknown} error */
export const failed = (error) => say(`\u2717 ${messageOf(error)}`);

/**
 * Ends the script with this sentence unless the condition holds.
 * @param {unknown} condition
 * @param {string} text
 * @returns {asserts condition}
 */
export function must(condition, text) {
  if (!condition) throw new Error(text);
}

/** Rejects when the script is asked to end, so that it tidies up first: to be raced against its work. */
export function interrupted() {
  return new Promise((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.on(signal, () => reject(new Error(`ended by ${signal}`)));
  });
}
