const { default: Sequencer } = require('@jest/test-sequencer');

/** What takes longest on a machine that has all they need; `scripts/slow-tests.mjs` prints what does now. */
const longFiles = [
  'integration/jobs-crash-windows',
  'e2e/schemathesis',
  'integration/workspaces-crash',
  'integration/netlab-client',
  'e2e/docker',
  'e2e/engine-service',
  'integration/engine-crash',
  'integration/engine-lab',
  'integration/engine-interrupted',
];

/** A place in the list above; behind it for all others. @param {string} file */
const placeOf = (file) => {
  const place = longFiles.findIndex((name) => file.endsWith(`/${name}.test.ts`));
  return place === -1 ? longFiles.length : place;
};

/**
 * The files that drive a browser run one after the other (browser.ts): side by side, they would keep workers waiting.
 * @param {{ readonly path: string }} test
 */
const needsBrowser = ({ path }) => /\/e2e\/page[^/]*$/.test(path);
/** So many others between two of them. */
const between = 5;

/** @param {Parameters<Sequencer['sort']>[0]} tests */
function apart(tests) {
  const pages = tests.filter(needsBrowser);
  const others = tests.filter((test) => !needsBrowser(test));
  const groups = pages.map((page, index) => [page, ...others.slice(index * between, (index + 1) * between)]);
  return [...groups.flat(), ...others.slice(pages.length * between)];
}

/**
 * Begins with the files that take longest, or the last of them would run alone at the end. Jest knows durations from its
 * cache and goes by the size of a file without one, as in continuous integration: these are short files.
 */
class LongFilesFirst extends Sequencer {
  /**
   * @override
   * @param {Parameters<Sequencer['sort']>[0]} tests
   */
  async sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's method, not that of an array
    const sorted = await super.sort(tests);
    return apart(sorted.toSorted((one, other) => placeOf(one.path) - placeOf(other.path)));
  }
}

module.exports = LongFilesFirst;
