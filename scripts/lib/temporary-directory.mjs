import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A new directory (real path), which goes when the script ends. @param {string} name begins its name */
export function temporaryDirectory(name) {
  const directory = realpathSync(mkdtempSync(path.join(os.tmpdir(), `${name}-`)));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
  return directory;
}
