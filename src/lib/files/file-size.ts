import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Bytes, measured at once: nothing else of this process happens in between. Null for a file that cannot be looked at. */
export function fileSizeNow(file: string): number | null {
  try {
    return statSync(file).size;
  } catch {
    return null;
  }
}

/** Bytes in the files of a directory, measured at once. What cannot be looked at counts as nothing. */
export function filesSizeNow(directory: string): number {
  try {
    const names = readdirSync(directory);
    return names.reduce((sum, name) => sum + (fileSizeNow(path.join(directory, name)) ?? 0), 0);
  } catch {
    return 0;
  }
}
