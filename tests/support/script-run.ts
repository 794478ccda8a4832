import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { repoRoot } from './repo-files.ts';

/** What a program of `scripts/` printed that failed; empty when it ended well. */
export async function complaintOf(script: string, ...words: readonly string[]): Promise<string> {
  const file = path.join(repoRoot, 'scripts', script);
  const child = spawn(process.execPath, [file, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0 ? '' : output;
}
