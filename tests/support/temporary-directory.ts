import { afterAll } from '@jest/globals';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A new directory (real path) that is removed when the test file is done. */
export function temporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'lab-api-test-')));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
