import { readdirSync } from 'node:fs';
import path from 'node:path';

export const repoRoot = path.resolve(import.meta.dirname, '../..');

/** Not of the project: built, installed or generated. */
const skipped = new Set(['.git', 'node_modules', 'dist', 'coverage', '.env', 'api-types.ts']);

/** Every file of the project, by its path below the root; what is built or installed is left out. */
export function repoFiles(below = ''): string[] {
  const entries = readdirSync(path.join(repoRoot, below), { withFileTypes: true });
  return entries
    .filter(({ name }) => !skipped.has(name) && !name.endsWith('.tsbuildinfo'))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = path.join(below, entry.name);
      return entry.isDirectory() ? repoFiles(file) : [file];
    });
}
