import { realpathSync } from 'node:fs';
import path from 'node:path';

/** A path with its symbolic links resolved; the absolute path when there is no such file. */
export function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}
