#!/usr/bin/env node
/** The engine as a separate program: reads the environment, handles signals, ends with the exit code. */
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expandHome } from '../lib/files/home.ts';
import { packageFile } from '../lib/files/package-root.ts';
import { exitCodeOf } from '../lib/processes/exit-code.ts';
import { Interrupted } from './core/engine-error.ts';
import { runEngine } from './program.ts';

const interruption = new AbortController();
// Each node that starts listens.
setMaxListeners(0, interruption.signal);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Only the first signal counts: a second signal must not interrupt the removal of a lab.
  process.on(signal, () => interruption.abort(new Interrupted(signal, exitCodeOf(null, signal))));
}
// The reader of the output may end early (`lab up | head`): the command continues without a reader.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };

async function main(cwd: string): Promise<number> {
  return runEngine({
    context: {
      home: path.resolve(expandHome(process.env['LAB_HOME'] || '~/.lab')),
      cwd,
      runDir: '/run',
      out: (text) => void process.stdout.write(text),
      err: (text) => void process.stderr.write(text),
      interrupted: interruption.signal,
    },
    version,
    env: process.env,
    program: [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url)],
    args: process.argv.slice(2),
  });
}

function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

const cwd = workingDirectory();
if (cwd === undefined) process.stderr.write('Fatal error in lab: the working directory no longer exists\n');
process.exitCode = cwd === undefined ? 1 : await main(cwd);
