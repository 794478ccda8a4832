import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The next directory at or above this one that has a package.json. */
function packageAbove(directory: string): string {
  if (existsSync(path.join(directory, 'package.json'))) return directory;
  const parent = path.dirname(directory);
  if (parent === directory) throw new Error(`no package.json above ${directory}`);
  return packageAbove(parent);
}

/**
 * Where this package is, with its package.json and, once it was built, `dist`. The build puts many files of src into one, so
 * none knows by itself how deep it lies.
 */
const packageRoot = packageAbove(path.dirname(fileURLToPath(import.meta.url)));

/** A file of this package: its path as seen from package.json. */
export const packageFile = (...names: readonly string[]): string => path.join(packageRoot, ...names);
