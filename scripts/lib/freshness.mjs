/** Whether dist is of the sources as they are. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const sources = [
  'src',
  'web',
  'scripts/build.mjs',
  'scripts/lib',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/**
 * The last change of the file, or of everything below the directory; 0 if there is none.
 * @param {string} file
 * @returns {number} ms
 */
function newestChangeMs(file) {
  if (!existsSync(file)) return 0;
  const entry = statSync(file);
  if (!entry.isDirectory()) return entry.mtimeMs;
  // A directory's own time counts too: that is where a deleted file shows.
  return Math.max(entry.mtimeMs, ...readdirSync(file).map((name) => newestChangeMs(path.join(file, name))));
}

/**
 * Whether the program was built after the last change of its sources, in the repository at `root`.
 * @param {string} root
 */
export function isFresh(root) {
  const changedMs = Math.max(...sources.map((name) => newestChangeMs(path.join(root, name))));
  return newestChangeMs(path.join(root, 'dist', 'main.js')) >= changedMs;
}
