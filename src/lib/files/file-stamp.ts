import { statSync } from 'node:fs';

/** A stamp that changes with the file, and when that was, in ms since 1970; 0 for a missing file. Never throws. */
export function stampOf(file: string | undefined): { readonly stamp: string; readonly modifiedMs: number } {
  if (file === undefined) return { stamp: 'none', modifiedMs: 0 };
  try {
    const { mtimeNs, mtimeMs, size, ino } = statSync(file, { bigint: true });
    return { stamp: `${mtimeNs}:${size}:${ino}:${file}`, modifiedMs: Number(mtimeMs) };
  } catch {
    return { stamp: `missing:${file}`, modifiedMs: 0 };
  }
}
