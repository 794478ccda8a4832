#!/usr/bin/env node
// The recording of a terminal that README.md shows: a few `lab` commands against a real service with the bundled engine.
//   npm run build && node scripts/terminal-recording.mjs                   writes docs/recording.svg
//   node scripts/terminal-recording.mjs --into /tmp/recording.svg          somewhere else
// Words and pauses are those of the run; pauses above a second are cut to one. Needs what labs need, and ping.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call } from './lib/http.mjs';
import { done, failed, interrupted, must } from './lib/words.mjs';
import { readOptions } from './lib/options.mjs';
import { plainEnvironment, program, root, startService } from './lib/service.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';
import { drawRecording } from './terminal-recording/draw-recording.mjs';

const { into } = readOptions({
  into: { type: 'string', default: path.join(root, 'docs', 'recording.svg') },
});
const maxBytes = 60_000;

const temporary = temporaryDirectory('lab-api-recording');
const bin = path.join(temporary, 'bin');
/** @type {NodeJS.ProcessEnv} */
const environment = {
  ...plainEnvironment(),
  LAB_HOME: path.join(temporary, 'home'),
  LAB_API_CLI: 'engine',
  LAB_API_DATA_DIR: path.join(temporary, 'data'),
  LAB_API_WORKSPACES_DIR: path.join(temporary, 'workspaces'),
};

/** @typedef {import('./terminal-recording/draw-recording.mjs').Command} Command */

/**
 * Runs a command line as a person types it, and notes each line with its moment.
 * @param {string} line
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Command>}
 */
async function recorded(line, env) {
  const from = performance.now();
  const child = spawn('sh', ['-c', `${line} 2>&1`], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  /** @type {{ text: string, afterMs: number }[]} */
  const lines = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const text of parts) lines.push({ text, afterMs: performance.now() - from });
  });
  const [status] = await once(child, 'close');
  must(status === 0, `${line}: exit code ${status}\n${lines.map(({ text }) => text).join('\n')}`);
  return { line, lines };
}

async function record() {
  mkdirSync(bin);
  symlinkSync(program, path.join(bin, 'lab'));
  const service = await startService({ env: { ...environment, LAB_API_PORT: '0' }, isDetached: true });
  const env = { ...environment, LAB_API_URL: service.url, PATH: `${bin}:${environment['PATH']}` };
  try {
    const push = await recorded('lab push examples/spine-leaf', env);
    const up = await recorded(
      'lab start up --workspace spine-leaf --multilab-id auto --ttl 2h --follow',
      env,
    );
    const [started] = (await call(`${service.url}/labs`)).labs;
    must(started, 'there is no lab');
    const labs = await recorded('lab labs', env);
    const ping = await recorded(`lab exec --server $LAB_API_URL ${started.id} h1 -- ping -c 3 h6`, env);
    const down = await recorded('lab start down --workspace spine-leaf --follow', env);
    const svg = drawRecording([push, up, labs, ping, down]);
    must(svg.length <= maxBytes, `${svg.length} bytes; ${maxBytes} are allowed`);
    writeFileSync(into, svg);
    done(`${into}: ${Math.round(svg.length / 1000)} kB`);
  } finally {
    // A lab that is still up, because something failed, goes too.
    const words = [program, 'start', 'down', '--workspace', 'spine-leaf', '--force', '--wait'];
    await once(spawn(process.execPath, words, { env, stdio: 'ignore' }), 'close');
    await service.end();
  }
}

try {
  await Promise.race([record(), interrupted()]);
} catch (error) {
  process.exitCode = 1;
  failed(error);
}
