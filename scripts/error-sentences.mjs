#!/usr/bin/env node
/**
 * scripts/error-sentences.mjs DIRECTORY
 *
 * What the service says about each topology of a directory that `netlab create` refuses, one `file -> sentence` a line:
 * to read as a user would. Does it name the cause? If not, src/labs/drivers/netlab/error-sentence.ts wants another
 * rule. netlab must be on PATH, and the service built (npm run build). Each topology is tried in a directory of its own,
 * which is removed again; the directory that is named is only read.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readArguments } from './lib/options.mjs';

const limitMs = 120_000;

/**
 * The output of `netlab create`, as a job's log has it: both streams in the order in which they were printed.
 * @param {string} topology
 */
function create(topology) {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'error-sentences-'));
  try {
    cpSync(topology, path.join(directory, 'topology.yml'));
    const env = { ...process.env, COLUMNS: '200', PYTHONUNBUFFERED: '1' };
    const { status, signal, stdout, error } = spawnSync(
      'sh',
      ['-c', 'exec netlab create topology.yml 2>&1'],
      {
        cwd: directory,
        env,
        encoding: 'utf8',
        timeout: limitMs,
      },
    );
    if (error !== undefined && status === null && signal === null) throw error;
    return { exitCode: status, signal, logTail: stdout.replaceAll(`${directory}/`, '') };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const { positionals } = readArguments({});
const [given = '', ...others] = positionals;
if (others.length > 0 || !statSync(given, { throwIfNoEntry: false })?.isDirectory()) {
  const problem = given === '' ? '' : `not a directory: ${[given, ...others].join(' ')}\n`;
  process.stderr.write(`${problem}usage: scripts/error-sentences.mjs DIRECTORY (of topologies, *.yml)\n`);
  process.exit(2);
}
/** @type {{ errorSentence: (ending: object) => string }} */
const { errorSentence } = await import(
  path.join(import.meta.dirname, '../dist/modules/labs/drivers/netlab/error-sentence.js')
);
const files = readdirSync(given).filter((name) => /\.ya?ml$/.test(name));
for (const name of files.toSorted()) {
  const ending = create(path.join(given, name));
  const sentence =
    ending.exitCode === 0
      ? '(netlab accepts it)'
      : errorSentence({ action: 'create', cliName: 'netlab', ...ending });
  process.stdout.write(`${name} -> ${sentence}\n`);
}
