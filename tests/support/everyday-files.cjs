const { existsSync } = require('node:fs');
const path = require('node:path');

/**
 * What `npm test` runs by default, in about two minutes on two cores: all files of these folders, …
 */
const folders = ['unit', 'repo'];
/** … but for these, … */
const long = [
  'repo/build',
  'repo/scripts',
  'unit/access/passwords/password-checks',
  'unit/access/passwords/password-hash',
  'unit/access/users/read-users-file',
  'unit/dashboard/log-reader',
  'unit/doctor/self-signed',
  'unit/engine/routing/large-labs',
  'unit/engine/routing/reachability',
  'unit/events/webhooks/outbox',
  'unit/jobs/store/data-dir-services',
  'unit/labs/picture/layout-thread',
  'unit/labs/readers',
  'unit/labs/templates/template-thread',
  'unit/lib/files/make-directories',
  'unit/lib/processes/process-scanner',
  'unit/tls/self-signed',
];

/** … and, of the files that start whole services and programs, these. */
const files = [
  // The contract.
  'http/authentication',
  'http/events',
  'http/health',
  'http/idempotency',
  'http/job-log',
  'http/jobs',
  'http/labs',
  'http/parser-errors',
  'http/request-bodies',
  'http/requests',
  'http/workspaces',
  // Jobs: started, canceled, found again after a crash.
  'integration/jobs-cancel',
  'integration/jobs-recovery',
  'integration/jobs-queue',
  'integration/jobs-run',
  'integration/jobs-start',
  // Labs of the bundled engine.
  'integration/engine-commands',
  // The built program, its client and its page.
  'e2e/client',
  'e2e/durability',
  'e2e/page',
];

const tests = path.resolve(__dirname, '..');
// One that was renamed would be left out, and nobody would know.
const gone = [...long, ...files].filter((name) => !existsSync(path.join(tests, `${name}.test.ts`)));
if (gone.length > 0) throw new Error(`everyday-files.cjs names tests that are not there: ${gone.join(', ')}`);

const isThorough = (process.env['LAB_TEST_THOROUGH'] ?? '') !== '';
/** What chooses no tests: where the output goes, and how many run at once. */
const chooseNothing =
  /^--(?:ci|colors?|coverage|json|listTests|maxWorkers|outputFile|reporters|silent|verbose)(?:=|$)/;
/** Whoever asks for anything else wants what he asks for: `npm test -- tests/e2e/demo`, `npm test -- -t cancel`. */
const asksForSome = process.argv
  .slice(2)
  .some((word) => !word.startsWith('--filter=') && !chooseNothing.test(word));

/** @param {string} file */
function isEveryday(file) {
  const name = path.relative(tests, file).replace(/\.test\.ts$/, '');
  const isOfFolder = folders.some((folder) => name.startsWith(folder + path.sep));
  return isOfFolder ? !long.includes(name) : files.includes(name);
}

let leftOut = 0;

/**
 * A filter of Jest (`--filter`) for those that are to run of the files that it has found.
 * @param {readonly string[]} found
 */
async function everydayFiles(found) {
  const filtered = isThorough || asksForSome ? [...found] : found.filter(isEveryday);
  leftOut = found.length - filtered.length;
  return { filtered };
}

/** How many files the filter has left to the thorough mode. */
everydayFiles.leftOut = () => leftOut;

module.exports = everydayFiles;
