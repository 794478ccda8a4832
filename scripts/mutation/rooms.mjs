import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { judgesOf } from './judges.mjs';

/**
 * @typedef {object} Room
 * @property {string} at Where its report is kept.
 * @property {string} name What the table calls it.
 * @property {string[]} files What is changed.
 * @property {string[]} tests Which tests judge it: those of the same place in tests/unit, which mirrors src, and `also`.
 * @property {string[]} without Tests that take minutes, or need what is not there.
 */

/**
 * @typedef {object} Row
 * @property {string} at A folder of src. With `isFlat`, without the folders in it.
 * @property {boolean} [isFlat]
 * @property {string[]} [also] Folders or files of tests beside the mirror.
 */

/** Asks the real netlab thousands of times, where there is one, and reads a page of docs/, which is not copied. */
const oracle = 'addressing-oracle';

/** Looks for the built program, whose copy here may not be executed. */
const built = 'engine-built';

/** Parts of the paths of test files, and why they judge nothing. */
const without = [
  oracle,
  built,
  // Starts the built program.
  'data-dir-services',
  // Seconds for each change: labs of a thousand nodes, files of a thousand errors or of 10 MB.
  'routing/large-labs',
  'topology/source',
];

/**
 * Where the reply that a client gets tells more than any single part: a whole service, in the process of the test.
 * @param {readonly string[]} names
 */
const httpTests = (...names) => names.map((name) => `tests/http/${name}.test.ts`);

/** @type {readonly Row[]} The cheapest first. */
const rows = [
  { at: 'src/engine/core' },
  { at: 'src/engine/topology', also: ['tests/unit/engine/lab'] },
  { at: 'src/engine/addressing', also: ['tests/unit/engine/lab'] },
  { at: 'src/engine/routing' },
  { at: 'src/engine/lab' },
  { at: 'src/labs', isFlat: true },
  { at: 'src/labs/drivers', also: ['tests/unit/labs/status', 'tests/unit/labs/labs.test.ts'] },
  { at: 'src/labs/topologies', also: ['tests/unit/labs/plan/plan-command.test.ts'] },
  { at: 'src/labs/templates' },
  { at: 'src/labs/status' },
  { at: 'src/labs/ids' },
  { at: 'src/labs/picture', also: ['tests/unit/labs/picture/lab-pictures.test.ts'] },
  { at: 'src/labs/workspaces', also: httpTests('workspace-jobs', 'workspaces') },
  {
    at: 'src/labs/nodes',
    also: httpTests('node-exec', 'node-network', 'node-terminal', 'node-terminal-refused'),
  },
  { at: 'src/jobs/model' },
  { at: 'src/jobs/intake' },
  { at: 'src/jobs/view' },
  { at: 'src/jobs/log' },
  { at: 'src/jobs/store' },
  { at: 'src/jobs/run' },
  { at: 'src/events' },
  { at: 'src/client' },
  { at: 'src/lib', also: ['tests/unit/labs/topologies/topology-url.test.ts'] },
  { at: 'src/http', isFlat: true, also: httpTests('requests', 'request-bodies', 'parser-errors') },
  { at: 'src/http/middleware' },
  { at: 'src/http/request' },
  { at: 'src/http/reply' },
  { at: 'src/http/cluster' },
  {
    at: 'src/http/routers',
    also: httpTests(
      'authentication',
      'health',
      'idempotency',
      'job-log',
      'job-log-plain',
      'job-wait',
      'jobs',
      'jobs-delete',
      'jobs-list',
      'status',
      'templates',
    ),
  },
];

/** The folders of src/jobs, src/http and src/labs that are in no room, and why. */
export const notTried = {
  'src/http/openapi': 'describes the routes, once, when it is loaded',
};

/** The folders of src that are rooms, or hold files of one. */
export const tried = rows.map(({ at }) => at);

/** @param {Row} row */
const nameOf = ({ at, isFlat = false }) => (isFlat ? `${at}/*.ts` : at);

/**
 * @param {Row} row
 * @param {string} [file] One file of it, or a folder in it.
 * @returns {Room}
 */
function roomOf({ at, isFlat = false, also = [] }, file) {
  const below = isFlat ? '*' : '**/*';
  const mirror = at.replace(/^src/, 'tests/unit');
  const whole = `${at}/${below}.ts`;
  const part = file?.endsWith('.ts') ? file : `${file}/**/*.ts`;
  return {
    at: file ?? (isFlat ? `${at}/itself` : at),
    name: file ?? nameOf({ at, isFlat }),
    files: [file === undefined ? whole : part],
    tests: [
      `${mirror}/${below}.test.ts`,
      ...also.map((tests) => (tests.endsWith('.ts') ? tests : `${tests}/**/*.test.ts`)),
    ],
    without,
  };
}

/**
 * The rooms of a folder (`src/http/*.ts`: of itself alone), or the part of a room that a file or a folder in it is. None
 * when nothing there is tried.
 * @param {string} root
 * @param {string} given
 */
export function roomsOf(root, given) {
  const at = path.relative(root, path.resolve(root, given));
  const named = rows.filter((row) => nameOf(row) === at && row.isFlat === true);
  if (named.length > 0) return named.map((row) => roomOf(row));
  const inside = rows.filter((row) => at === '' || row.at === at || row.at.startsWith(`${at}/`));
  if (inside.length > 0) return inside.map((row) => roomOf(row));
  if (!existsSync(path.join(root, at))) return [];
  const isFile = statSync(path.join(root, at)).isFile();
  const around = rows.filter((row) =>
    row.isFlat === true ? isFile && path.dirname(at) === row.at : at.startsWith(`${row.at}/`),
  );
  return around.map((row) => roomOf(row, at));
}

/**
 * The tests of one file: `job-store.test.ts` of `job-store.ts`, `job-store-load.test.ts` where there is no such source, and
 * its judges of another name.
 * @param {string} root
 * @param {string} file
 */
function ownTestsOf(root, file) {
  const { dir, name } = path.parse(file);
  const mirror = dir.replace(/^src/, 'tests/unit');
  const others = judgesOf(file);
  if (!existsSync(path.join(root, mirror))) return others;
  const own = readdirSync(path.join(root, mirror))
    .filter(
      (test) => test === `${name}.test.ts` || (test.startsWith(`${name}-`) && test.endsWith('.test.ts')),
    )
    .filter(
      (test) => test === `${name}.test.ts` || !existsSync(path.join(root, dir, test.replace('.test', ''))),
    )
    .map((test) => `${mirror}/${test}`);
  return [...own, ...others];
}

/**
 * The files of a room that have tests of their own name, each judged by these alone: stricter, and in a fraction of the time,
 * for no change is tried with the tests of its neighbours.
 * @param {string} root
 * @param {Room} room
 * @returns {Room[]}
 */
export function eachFileOf(root, { files: [pattern = ''] }) {
  const directory = path.dirname(pattern.replace('/**', ''));
  const names = pattern.includes('*')
    ? readdirSync(path.join(root, directory), { encoding: 'utf8', recursive: pattern.includes('**') })
    : [path.basename(pattern)];
  return names
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
    .map((name) => `${directory}/${name}`)
    .map((file) => ({
      at: `each/${file}`,
      name: file,
      files: [file],
      tests: ownTestsOf(root, file),
      without: [oracle, built],
    }))
    .filter(({ tests }) => tests.length > 0);
}
