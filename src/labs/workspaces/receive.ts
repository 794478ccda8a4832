/** Brings what a client sends to the disk, within the limits. */
import { open } from 'node:fs/promises';
import type { ArchiveFormat } from '../../lib/archives/pack.ts';
import { tooLarge, UnpackTarget, type UnpackLimits } from '../../lib/archives/unpack-target.ts';
import { unpackTarGz } from '../../lib/archives/unpack-tar.ts';
import { unpackZip } from '../../lib/archives/unpack-zip.ts';
import { formatSize } from '../../lib/text/size.ts';
import type { UploadRoom } from './workspace-room.ts';
import type { Amount } from './workspace-sizes.ts';

export type Body = AsyncIterable<Uint8Array>;

export interface IncomingArchive {
  readonly format: ArchiveFormat;
  readonly body: Body;
  /** The service has made it: no ratio is suspect. */
  readonly isOwn?: true;
}

interface FileLimit {
  readonly what: string;
  readonly maxBytes: number;
}

/**
 * Writes a new file, and has it on disk for good. Gives its size.
 * @throws AppError `payload-too-large`, `quota-exceeded`, `disk-full`; what `body` throws; Error of the system.
 */
export async function receiveFile(
  body: Body,
  file: string,
  room: UploadRoom,
  { what, maxBytes }: FileLimit,
): Promise<number> {
  const handle = await open(file, 'wx', 0o644);
  try {
    let size = 0;
    for await (const piece of body) {
      size += piece.length;
      if (size > maxBytes) throw tooLarge(what, formatSize(maxBytes));
      await room.take(piece.length);
      await handle.writeFile(piece);
    }
    await handle.sync();
    return size;
  } finally {
    await handle.close();
  }
}

export interface Received {
  /** An empty directory of our own. */
  readonly directory: string;
  /** Where the archive itself may be kept meanwhile. */
  readonly file: string;
}

/**
 * Unpacks an archive while it comes, and has all of it on disk for good. Gives how much that is.
 * @throws AppError `archive-refused`, `payload-too-large`, `quota-exceeded`, `disk-full`; what `body` throws; Error of the
 * system.
 */
export async function receiveArchive(
  { format, body }: IncomingArchive,
  { directory, file }: Received,
  room: UploadRoom,
  limits: UnpackLimits,
): Promise<Amount> {
  const target = new UnpackTarget(directory, limits, { onBytes: room.take });
  try {
    if (format === 'tar.gz') await unpackTarGz(body, target);
    else {
      await receiveFile(body, file, room, { what: 'the archive', maxBytes: limits.maxBytes });
      await unpackZip(file, target);
    }
    await target.finish();
    return target.amount();
  } finally {
    await target.settle();
  }
}
