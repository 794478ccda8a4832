/** Which tests judge a room of src, beside its mirror in tests/unit. */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';

/** @param {readonly string[]} names */
const httpTests = (...names) => names.map((name) => `tests/http/${name}.test.ts`);

/** @type {Readonly<Record<string, readonly string[]>>} Folders and files of tests, by the beginning of a room. */
export const otherTests = {
  'src/engine/topology': ['tests/unit/engine/lab'],
  'src/engine/addressing': ['tests/unit/engine/lab'],
  'src/labs/drivers': ['tests/unit/labs/status', 'tests/unit/labs/labs.test.ts'],
  'src/labs/topologies': ['tests/unit/labs/plan'],
  'src/labs/workspaces': httpTests('workspace-jobs', 'workspaces'),
  'src/labs/nodes': httpTests('node-exec', 'node-network', 'node-terminal', 'node-terminal-refused'),
  'src/lib': ['tests/unit/labs/topologies'],
  // The reply that a client gets tells more than a single part: a whole service, in the process of the test.
  'src/http/routers': ['tests/http'],
  'src/http': httpTests('requests', 'request-bodies', 'parser-errors'),
};

/** Parts of the paths of test files that judge nothing. */
export const withoutTests = [
  // Asks the real netlab thousands of times, and reads a page of docs/, which is not copied.
  'addressing-oracle',
  // These start the built program, whose copy may not be executed there.
  'engine-built',
  'data-dir-services',
  // Seconds for each change: labs of a thousand nodes, files of a thousand errors or of 10 MB.
  'routing/large-labs',
  'topology/source',
];

/** @param {string} place a folder or a file of tests */
const pattern = (place) => (place.endsWith('.ts') ? place : `${place}/**/*.test.ts`);

/**
 * The files to change and the tests that judge them; undefined when there is no such room.
 * @param {string} room a folder or a file of src
 */
export function roomOf(room) {
  const at = path.normalize(room).replace(/\/$/, '');
  if (!at.startsWith('src/') || !existsSync(at)) return undefined;
  const isFile = statSync(at).isFile();
  const folder = isFile ? path.dirname(at) : at;
  const beginning = Object.keys(otherTests).find((key) => folder === key || folder.startsWith(`${key}/`));
  return {
    at,
    files: [isFile ? at : `${at}/**/*.ts`],
    tests: [folder.replace(/^src/, 'tests/unit'), ...(otherTests[beginning ?? ''] ?? [])].map(pattern),
  };
}
