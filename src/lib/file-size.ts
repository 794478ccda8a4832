import { statSync } from 'node:fs';

/** Bytes, measured at once: nothing else of this process happens in between. Null for a file that cannot be looked at. */
export function fileSizeNow(file: string): number | null {
  try {
    return statSync(file).size;
  } catch {
    return null;
  }
}
