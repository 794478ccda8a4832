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

/** A new directory below `root`, and the path of a file in it that is not there yet. */
export function emptyPlace(root: string): { readonly directory: string; readonly file: string } {
  const directory = mkdtempSync(path.join(root, 'case-'));
  return { directory, file: path.join(directory, 'file') };
}
