const { existsSync } = require('node:fs');
const path = require('node:path');

/** The tests of what a version of Node may change, for a run on another version than that of the whole suite. */
const files = [
  // The HTTP parser and its limits, streams in both directions, clients that read slowly, WebSockets.
  'http/events',
  'http/job-log-stream',
  'http/node-terminal-refused',
  'http/parser-errors',
  'http/request-bodies',
  'http/slow-clients',
  // File system, zlib and streams together.
  'http/workspaces',
  // Child processes, their signals and their ends; timers that end them.
  'integration/jobs-cancel',
  'integration/jobs-process',
  'integration/jobs-run',
  // The built program: start, signals and stop; TLS; fetch; stack traces.
  'e2e/client',
  'e2e/service-life',
  'e2e/source-maps',
  'e2e/tls',
  // Cryptography in worker threads.
  'unit/access/passwords/password-hash',
];

const tests = path.resolve(__dirname, '..');
const missing = files.filter((name) => !existsSync(path.join(tests, `${name}.test.ts`)));
if (missing.length > 0)
  throw new Error(`node-version-files.cjs names tests that do not exist: ${missing.join(', ')}`);

/**
 * A filter of Jest (`--filter`).
 * @param {readonly string[]} found
 */
module.exports = async (found) => ({
  filtered: found.filter((file) => files.includes(path.relative(tests, file).replace(/\.test\.ts$/, ''))),
});
