import { statSync } from 'node:fs';

/** A stamp that changes with the file; undefined for a missing file. Never throws. */
export function stampOf(file: string | undefined): string {
  if (file === undefined) return 'none';
  try {
    const { mtimeNs, size, ino } = statSync(file, { bigint: true });
    return `${mtimeNs}:${size}:${ino}:${file}`;
  } catch {
    return `missing:${file}`;
  }
}
