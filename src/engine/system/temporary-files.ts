/**
 * Unfinished files. `replaceFile` writes into `<file>.<number>` first and then renames it to the final name. A
 * command that is killed in between leaves a temporary file, which this module finds and removes.
 */
import { randomInt } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

const suffix = /^\.\d+$/;

/** A new name beside `file`. */
export function temporaryName(file: string): string {
  return `${file}.${process.pid}${randomInt(1_000_000, 10_000_000)}`;
}

/** The temporary files of `file` that exist; each belongs to a writer, dead or alive. */
export async function temporariesOf(file: string): Promise<string[]> {
  const directory = path.dirname(file);
  const base = path.basename(file);
  const names = await readdir(directory).catch(() => []);
  const ours = names.filter((name) => name.startsWith(base) && suffix.test(name.slice(base.length)));
  return ours.map((name) => path.join(directory, name));
}

/** Removes them. The caller has the lock for writing `file`, so no command is writing into one of them. */
export async function removeTemporaries(file: string): Promise<void> {
  for (const temporary of await temporariesOf(file)) await rm(temporary, { force: true });
}
