/**
 * @typedef {object} Place What Babel knows of a place in the code, as far as it is looked at here.
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
 * What people read is left as it is, with what is put into it: a test that repeats every sentence word by word hinders
 * whoever wants to say it better, and finds nothing. The tests name the words that matter (the field, the remedy).
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
