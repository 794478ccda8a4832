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
    return sorted.toSorted((one, other) => placeOf(one.path) - placeOf(other.path));
  }
}

module.exports = LongFilesFirst;
