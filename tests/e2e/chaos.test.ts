/** A short run of scripts/chaos.mjs; the long one is for people: `scripts/chaos.mjs --kills 100`. */
import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

test('ten kills at random moments lose no job, run none twice and leave no process', async () => {
  const script = path.join(__dirname, '..', '..', 'scripts', 'chaos.mjs');
  const child = spawn(process.execPath, [script, '--kills', '10'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  }
  const [code] = await once(child, 'close');
  // The output names the seed and every violation.
  expect(code === 0 ? '' : output).toBe('');
}, 180_000);
