/**
 * @typedef {object} Place A path of Babel, with the fields that are read here.
 * @property {{ type: string, value?: unknown, quasis?: { value: { raw: string } }[] }} node
 */

/** Two words with a space between them. Codes, names, options and paths have none. */
const sentence = /\p{L}[.,:;)'"`]* ['"(`]?\p{L}/u;

/** @param {Place} place */
function textOf({ node }) {
  if (node.type === 'StringLiteral') return String(node.value);
  return (node.quasis ?? []).map(({ value }) => value.raw).join('x');
}

/**
 * Sentences for people are not changed, nor the values in them: a test that repeats every sentence word by word hinders better
 * sentences and finds no bug. The tests name the words that matter (the field, the remedy).
 */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'sentences',
    value: {
      /** @param {Place} place */
      shouldIgnore: (place) => (sentence.test(textOf(place)) ? 'a sentence for people' : undefined),
    },
  },
];
