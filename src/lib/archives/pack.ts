/** Archives of files that are read while they are sent: nothing of them stands in memory but the names. */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import tar from 'tar-stream';
import yazl from 'yazl';
import { readWhole } from './read-whole.ts';

export const archiveFormats = ['tar.gz', 'zip'] as const;
export type ArchiveFormat = (typeof archiveFormats)[number];

/** A file or directory for an archive. */
export interface PackItem {
  readonly path: string;
  readonly isDirectory: boolean;
  readonly isProgram: boolean;
  readonly modifiedAt: Date;
  /** Opens the file for reading; the caller closes it. Undefined when the file no longer exists. */
  readonly open: () => Promise<FileHandle | undefined>;
}

type Items = AsyncIterable<PackItem>;

const modeOf = ({ isDirectory, isProgram }: PackItem): number => (isDirectory || isProgram ? 0o755 : 0o644);

/** Calls `add` with each file while it is open, with its size and its bytes: as many as it had when it was opened. */
async function withFile(
  item: PackItem,
  add: (size: number, content: Readable) => Promise<void>,
): Promise<void> {
  const handle = await item.open();
  if (handle === undefined) return;
  try {
    const { size } = await handle.stat();
    await add(size, Readable.from(readWhole(handle), { objectMode: false }));
  } finally {
    await handle.close();
  }
}

async function fillTar(items: Items, pack: tar.Pack): Promise<void> {
  for await (const item of items) {
    const header = { name: item.path, mode: modeOf(item), mtime: item.modifiedAt };
    if (item.isDirectory) pack.entry({ ...header, type: 'directory' });
    else
      await withFile(item, async (size, content) =>
        pipeline(content, pack.entry({ ...header, type: 'file', size })),
      );
  }
  pack.finalize();
}

async function fillZip(items: Items, zip: yazl.ZipFile, failed: Promise<never>): Promise<void> {
  for await (const item of items) {
    const options = { mode: modeOf(item) | typeOf(item), mtime: item.modifiedAt };
    if (item.isDirectory) zip.addEmptyDirectory(item.path, options);
    else
      await withFile(item, async (size, content) => {
        const isRead = new Promise<void>((resolve, reject) => {
          content.once('close', resolve);
          content.once('error', reject);
        });
        zip.addReadStream(content, item.path, { ...options, size });
        await Promise.race([isRead, failed]);
      });
  }
  zip.end();
}

const typeOf = ({ isDirectory }: PackItem): number => (isDirectory ? constants.S_IFDIR : constants.S_IFREG);

async function packTarGz(items: Items, output: Writable): Promise<void> {
  const pack = tar.pack();
  const filling = fillTar(items, pack).catch((error: unknown) => {
    pack.destroy(error as Error);
    throw error;
  });
  await together(filling, pipeline(pack, createGzip(), output));
}

async function packZip(items: Items, output: Writable): Promise<void> {
  const zip = new yazl.ZipFile();
  const stream = zip.outputStream as Readable;
  const flow = pipeline(stream, output);
  const failed = new Promise<never>((_resolve, reject) => {
    zip.once('error', reject);
    flow.catch(reject);
  });
  failed.catch(() => undefined);
  const filling = fillZip(items, zip, failed).catch((error: unknown) => {
    stream.destroy(error as Error);
    throw error;
  });
  await together(filling, flow);
}

/** Resolves when both are done; the first of them to fail says why, once the other one has ended as well. */
async function together(...works: readonly Promise<void>[]): Promise<void> {
  try {
    await Promise.all(works);
  } finally {
    await Promise.allSettled(works);
  }
}

/**
 * Writes an archive of `items` to `output`, and ends it. @throws Error when a file cannot be read, or has changed while it was
 * read; then `output` is destroyed, so that its reader notices that the archive is incomplete.
 */
export async function packArchive(format: ArchiveFormat, items: Items, output: Writable): Promise<void> {
  await (format === 'zip' ? packZip : packTarGz)(items, output);
}
