/**
 * The directory that `lab collect` fills. People name it, and mistype, as root: only files that an earlier `collect`
 * wrote are ever removed from it. (netlab removes the whole directory first.)
 */
import { lstat, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { messageOf } from '../../lib/app-error.ts';
import { EngineError } from '../core/engine-error.ts';
import { makeDirectory, readOwnFile, replaceFile } from '../system/files.ts';
import { removeTemporaries } from '../system/temporary-files.ts';

/** The file in the directory that lists what was collected. */
const manifestName = '.lab-collect.json';

/** Names of files, never paths: a list that somebody edited must not lead out of the directory. */
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
    // No list, or none of ours (never through a link, never waiting for a pipe): then nothing in the directory is ours to remove.
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
  /** Names of what is collected here. */
  readonly files: readonly string[];

  private constructor(directory: string, files: readonly string[]) {
    this.path = directory;
    this.files = files;
  }

  /**
   * Makes the directory ready for files of these names, which the caller then gives to `write`; removes what was
   * collected there before.
   * @throws EngineError when a file is in the way that no earlier `collect` wrote.
   */
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
      // Listed before they are written: if this run is interrupted, the next one knows all that it may remove.
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
    // `wx`: never through a symbolic link that somebody put there meanwhile.
    await writeFile(path.join(this.path, name), text, { flag: 'wx' });
  }

  async remove(): Promise<void> {
    await removeCollected(this.path, this.files);
  }
}

/** Removes what was collected, and the directory when nothing else is in it. False when nothing was collected there. */
export async function removeCollected(directory: string, files?: readonly string[]): Promise<boolean> {
  await removeTemporaries(path.join(directory, manifestName));
  if (!(await exists(path.join(directory, manifestName)))) return false;
  await removeFiles(directory, [...(files ?? (await readManifest(directory))), manifestName]);
  // Fails when it is not empty: the rest belongs to somebody.
  await rmdir(directory).catch(() => undefined);
  return true;
}
