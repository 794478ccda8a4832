const path = require('node:path');

/**
 * What `npm test` runs by default, within two minutes on two cores: all files of these folders, …
 */
const folders = ['unit', 'repo'];
/** … but for these, … */
const long = ['repo/build', 'repo/scripts'];

/** … and of those with whole services and real processes, the main path of each part of the product. */
const files = [
  // The contract.
  'http/audit',
  'http/authentication',
  'http/browser-safety',
  'http/cross-origin',
  'http/dashboard',
  'http/events',
  'http/health',
  'http/idempotency',
  'http/job-log',
  'http/job-wait',
  'http/jobs',
  'http/jobs-delete',
  'http/jobs-list',
  'http/labs',
  'http/mcp',
  'http/metrics',
  'http/parser-errors',
  'http/reference',
  'http/request-bodies',
  'http/requests',
  'http/several-clis-sight',
  'http/status',
  'http/templates',
  'http/webhooks',
  'http/workspaces',
  // Jobs: started, canceled, found again after a crash.
  'integration/jobs-crash',
  'integration/jobs-queue',
  'integration/jobs-run',
  'integration/jobs-start',
  // Labs: the bundled engine, and containerlab where the real one is.
  'integration/engine-commands',
  'integration/containerlab-jobs',
  // The built program: its start, its clients, its page.
  'e2e/client',
  'e2e/doctor',
  'e2e/durability',
  'e2e/mcp-stdio',
  'e2e/page',
  'e2e/refused-starts',
];

const tests = path.resolve(__dirname, '..');
const isThorough = (process.env['LAB_TEST_THOROUGH'] ?? '') !== '';
/** Whoever names files or tests wants these: `npm test -- tests/e2e/demo`, `npm test -- -t cancel`. */
const namesSome = process.argv.slice(2).some((word) => !word.startsWith('-'));

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
  const filtered = isThorough || namesSome ? [...found] : found.filter(isEveryday);
  leftOut = found.length - filtered.length;
  return { filtered };
}

/** How many files the filter has left to the thorough mode. */
everydayFiles.leftOut = () => leftOut;

module.exports = everydayFiles;
