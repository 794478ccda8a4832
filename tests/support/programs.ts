import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Absolute path of a child program in tests/fixtures/programs. */
export function fixtureProgram(name: string): string {
  return path.resolve(__dirname, '../fixtures/programs', name);
}

/** Writes a shell script that can be run; gives its path. */
export function writeProgram(file: string, script: string): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}
