/** A short run of scripts/events-gap.mjs; the long one is for people: 50 clients, 1,000 jobs, ten kills. */
import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

test('over three kills, each client is told of every transition of every job, once and in order', async () => {
  const script = path.join(__dirname, '..', '..', 'scripts', 'events-gap.mjs');
  const words = ['--clients', '10', '--jobs', '60', '--kills', '3'];
  const child = spawn(process.execPath, [script, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  }
  const [code] = await once(child, 'close');
  // The output names the seed and every violation.
  expect(code === 0 ? '' : output).toBe('');
}, 180_000);
