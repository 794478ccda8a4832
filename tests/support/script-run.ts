import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { repoRoot } from './repo-files.ts';

/** The output of a program of `scripts/` that failed, its errors first; empty when it ended well. */
export async function complaintOf(script: string, ...words: readonly string[]): Promise<string> {
  const file = path.join(repoRoot, 'scripts', script);
  const child = spawn(process.execPath, [file, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [errors, output] = [text(child.stderr), text(child.stdout)];
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0 ? '' : `${await errors}${await output}`;
}
