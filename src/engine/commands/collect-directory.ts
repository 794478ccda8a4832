/**
 * The output directory of `lab collect`. Users type its name, sometimes a wrong one, as root: so only files from an
 * earlier `collect` are removed from it. (netlab first removes the whole directory.)
 */
import { lstat, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { messageOf } from '../../lib/app-error.ts';
import { EngineError } from '../core/engine-error.ts';
import { makeDirectory, readOwnFile, removeTemporaries, replaceFile } from '../system/files.ts';

/** The file in the directory that lists the collected files. */
const manifestName = '.lab-collect.json';

/** File names, never paths: an edited list must not lead out of the directory. */
const fileName = z
  .string()
  .regex(/^[^/\0]+$/)
  .refine((name) => name !== '.' && name !== '..');
const manifestSchema = z.object({ files: z.array(fileName) });

async function readManifest(directory: string): Promise<readonly string[]> {
  try {
    const text = await readOwnFile(path.join(directory, manifestName));
    return manifestSchema.parse(JSON.parse(text)).files;
  } catch {
    // No list, or not one of ours (a link or a pipe is not read): then `collect` may remove nothing from the
    // directory.
    return [];
  }
}

async function writeManifest(directory: string, files: readonly string[]): Promise<void> {
  await replaceFile(path.join(directory, manifestName), `${JSON.stringify({ files }, null, 2)}\n`);
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

async function removeFiles(directory: string, files: readonly string[]): Promise<void> {
  for (const name of files) await rm(path.join(directory, name), { force: true });
}

export class CollectDirectory {
  readonly path: string;
  /** Names of the collected files. */
  readonly files: readonly string[];

  private constructor(directory: string, files: readonly string[]) {
    this.path = directory;
    this.files = files;
  }

  /**
   * Prepares the directory for files of these names, which the caller then passes to `write`; removes the files of
   * the last `collect`.
   * @throws EngineError when another file has one of the names.
   */
  static async prepare(directory: string, files: readonly string[]): Promise<CollectDirectory> {
    try {
      await makeDirectory(directory);
      const collected = new Set(await readManifest(directory));
      for (const name of files) {
        if (collected.has(name) || !(await exists(path.join(directory, name)))) continue;
        throw new EngineError(
          `${path.join(directory, name)} already exists and was not collected; move it, or choose another --output`,
        );
      }
      // Listed before they are written: if this run is interrupted, the next run knows all files that it may remove.
      await writeManifest(directory, [...new Set([...collected, ...files])]);
      await removeFiles(directory, [...collected]);
      await writeManifest(directory, files);
    } catch (error) {
      if (error instanceof EngineError) throw error;
      throw new EngineError(`cannot write to ${directory}: ${messageOf(error)}`);
    }
    return new CollectDirectory(directory, files);
  }

  async write(name: string, text: string): Promise<void> {
    // `wx`: never through a symbolic link that another program made meanwhile.
    await writeFile(path.join(this.path, name), text, { flag: 'wx' });
  }

  async remove(): Promise<void> {
    await removeCollected(this.path, this.files);
  }
}

/** Removes the collected files, and the directory if it is then empty. Returns false if nothing was collected there. */
export async function removeCollected(directory: string, files?: readonly string[]): Promise<boolean> {
  await removeTemporaries(path.join(directory, manifestName));
  if (!(await exists(path.join(directory, manifestName)))) return false;
  await removeFiles(directory, [...(files ?? (await readManifest(directory))), manifestName]);
  // Fails if the directory is not empty: it then has files from other programs or the user.
  await rmdir(directory).catch(() => undefined);
  return true;
}
