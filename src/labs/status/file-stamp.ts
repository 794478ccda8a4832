import { statSync } from 'node:fs';

/** What tells a file, as it is now, from what it was before; undefined for no file at all. Never throws. */
export function stampOf(file: string | undefined): string {
  if (file === undefined) return 'none';
  try {
    const { mtimeNs, size, ino } = statSync(file, { bigint: true });
    return `${mtimeNs}:${size}:${ino}:${file}`;
  } catch {
    return `missing:${file}`;
  }
}
