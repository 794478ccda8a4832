/** What a command that was killed in the middle of writing a file left beside it. */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/** `replaceFile` writes into `<file>.<number>` first, and then gives it the name of the file. */
const suffix = /^\.\d+$/;

/** The temporary files of `file` that exist; each belongs to a writer, dead or alive. */
export async function temporariesOf(file: string): Promise<string[]> {
  const directory = path.dirname(file);
  const base = path.basename(file);
  const names = await readdir(directory).catch(() => []);
  const ours = names.filter((name) => name.startsWith(base) && suffix.test(name.slice(base.length)));
  return ours.map((name) => path.join(directory, name));
}

/** Removes them. Only for whoever has the lock under which `file` is written: then every writer of them is dead. */
export async function removeTemporaries(file: string): Promise<void> {
  for (const temporary of await temporariesOf(file)) await rm(temporary, { force: true });
}
