/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** @param {string} text */
export const say = (text) => void process.stdout.write(`${text}\n`);

/** Something that worked. @param {string} text */
export const done = (text) => say(`\u2713 ${text}`);

/** Something that did not, or that was interrupted. @param {unknown} error */
export const failed = (error) => say(`\u2717 ${messageOf(error)}`);
