import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PackItem } from '../../lib/archives/pack.ts';
import { FileChanged, readWhole } from '../../lib/archives/read-whole.ts';
import { formatSize } from '../../lib/text/size.ts';

/** A topology needs plugins, templates and other topologies; images of disks, it does not read. */
const copyLimits = { maxFileBytes: 1024 * 1024, maxBytes: 16 * 1024 * 1024, maxEntries: 2_000 };

/** Of a lab that is up, or was: netlab refuses to work where its lock is. */
const leftOut = /^(?:netlab\.lock$|\.git(?:\/|$)|clab-[^/]*\/)/;

async function bytesOf(item: PackItem, maxBytes: number): Promise<Buffer | undefined> {
  const handle = await item.open();
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) return undefined;
    const pieces: Buffer[] = [];
    for await (const piece of readWhole(handle)) pieces.push(piece);
    return Buffer.concat(pieces);
  } catch (error) {
    if (error instanceof FileChanged) return undefined;
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Copies the files of a workspace into `directory`, an empty one that no other user may write to, as far as the limits go. Gives
 * a sentence about what is missing; undefined when nothing is.
 */
export async function copyFiles(
  items: AsyncIterable<PackItem>,
  directory: string,
  limits = copyLimits,
): Promise<string | undefined> {
  let [bytes, entries, missing] = [0, 0, 0];
  for await (const item of items) {
    if (leftOut.test(item.path)) continue;
    entries += 1;
    if (entries > limits.maxEntries) {
      missing += 1;
      break;
    }
    const target = path.join(directory, item.path);
    if (item.isDirectory) {
      await mkdir(target);
      continue;
    }
    const content = await bytesOf(item, Math.min(limits.maxFileBytes, limits.maxBytes - bytes));
    missing += content === undefined ? 1 : 0;
    if (content === undefined) continue;
    bytes += content.length;
    await writeFile(target, content, { flag: 'wx' });
    if (item.isProgram) await chmod(target, 0o755);
  }
  if (missing === 0) return undefined;
  return `the check was made without some files of the workspace: it takes files of up to ${formatSize(limits.maxFileBytes)}, ${formatSize(limits.maxBytes)} and ${limits.maxEntries} files in all`;
}
