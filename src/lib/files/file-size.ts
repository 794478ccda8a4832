import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Bytes, read without a turn of the event loop in between. Null for a file that cannot be inspected. */
export function fileSizeNow(file: string): number | null {
  try {
    return statSync(file).size;
  } catch {
    return null;
  }
}

/** Bytes in the files of a directory, read without a turn of the event loop in between. A file that cannot be inspected counts as 0. */
export function filesSizeNow(directory: string): number {
  try {
    const names = readdirSync(directory);
    return names.reduce((sum, name) => sum + (fileSizeNow(path.join(directory, name)) ?? 0), 0);
  } catch {
    return 0;
  }
}
