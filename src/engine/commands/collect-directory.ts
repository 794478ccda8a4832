/**
 * The directory that `lab collect` fills. Only what an earlier `collect` wrote is ever removed from it: the directory is
 * named by people, who mistype, and as root. (netlab removes the whole directory first.)
 */
import { lstat, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../lib/app-error.ts';
import { EngineError } from '../core/engine-error.ts';
import { makeDirectory, replaceFile } from '../system/files.ts';
import { removeTemporaries } from '../system/temporary-files.ts';

/** Lists what was collected. */
const manifestName = '.lab-collect.json';

/** Names of files, never paths: a list that somebody wrote leads nowhere else. */
const fileName = z
  .string()
  .regex(/^[^/\0]+$/)
  .refine((name) => name !== '.' && name !== '..');
const manifestSchema = z.object({ files: z.array(fileName) });

async function readManifest(directory: string): Promise<readonly string[]> {
  try {
    const text = await readFile(path.join(directory, manifestName), 'utf8');
    return manifestSchema.parse(JSON.parse(text)).files;
  } catch {
    // None, or not ours: then nothing in there is ours to remove.
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

/** Replaces what was collected before. @throws EngineError when a file in the way is not from an earlier `collect`. */
export class CollectDirectory {
  readonly path: string;
  /** Names of what is collected here. */
  readonly files: readonly string[];

  private constructor(directory: string, files: readonly string[]) {
    this.path = directory;
    this.files = files;
  }

  /** Makes the directory ready for `files` (names), which it has to receive by `write`. */
  static async prepare(directory: string, files: readonly string[]): Promise<CollectDirectory> {
    try {
      await makeDirectory(directory);
      const collected = new Set(await readManifest(directory));
      for (const name of files) {
        if (collected.has(name) || !(await exists(path.join(directory, name)))) continue;
        throw new EngineError(
          `${path.join(directory, name)} is there already and was not collected; move it, or choose another --output`,
        );
      }
      // On the list before they are there: an interrupted run leaves nothing that the next would not know.
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
    // `wx`: through a symbolic link that somebody put there meanwhile, nothing is written.
    await writeFile(path.join(this.path, name), text, { flag: 'wx' });
  }

  async remove(): Promise<void> {
    await removeCollected(this.path, this.files);
  }
}

/** Removes what was collected, and the directory when nothing else is in it. Whether anything was collected there. */
export async function removeCollected(directory: string, files?: readonly string[]): Promise<boolean> {
  await removeTemporaries(path.join(directory, manifestName));
  if (!(await exists(path.join(directory, manifestName)))) return false;
  await removeFiles(directory, [...(files ?? (await readManifest(directory))), manifestName]);
  // Not empty: the rest is somebody's.
  await rmdir(directory).catch(() => undefined);
  return true;
}
