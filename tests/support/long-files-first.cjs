const { default: Sequencer } = require('@jest/test-sequencer');

/** What takes longest on a machine that has all they need; `scripts/slow-tests.mjs` prints what does now. */
const longFiles = [
  'e2e/docker',
  'integration/jobs-crash-windows',
  'integration/netlab-client',
  'e2e/schemathesis',
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
 * Files that use something that one file has at a time (turn.ts) are kept apart: side by side, all but one would keep a
 * worker waiting. `between` is the number of other files that run in the time of one.
 */
const turns = [
  {
    takes: /\/(?:e2e\/docker|integration\/(?:containerlab-netlab|netlab-client|several-clis))\.test\.ts$/,
    between: 60,
  },
  // The browser.
  { takes: /\/e2e\/page[^/]*$/, between: 20 },
];

/**
 * @param {Parameters<Sequencer['sort']>[0]} tests
 * @param {(typeof turns)[number]} turn
 */
function apart(tests, { takes, between }) {
  const users = tests.filter(({ path }) => takes.test(path));
  const others = tests.filter(({ path }) => !takes.test(path));
  const groups = users.map((user, index) => [user, ...others.slice(index * between, (index + 1) * between)]);
  return [...groups.flat(), ...others.slice(users.length * between)];
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
    return turns.reduce(
      apart,
      sorted.toSorted((one, other) => placeOf(one.path) - placeOf(other.path)),
    );
  }
}

module.exports = LongFilesFirst;
