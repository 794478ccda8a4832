import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

const pieceBytes = 64 * 1024;

/** A file became shorter, or other bytes came into it, while it was read. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';

  constructor() {
    super('the file was changed while it was read');
  }
}

interface Part {
  readonly from: number;
  /** The first byte that is not part of it. */
  readonly to: number;
}

function isSame(before: BigIntStats, now: BigIntStats): boolean {
  return now.size > before.size || (now.size === before.size && now.mtimeNs === before.mtimeNs);
}

/**
 * The bytes that an open file has now, or a part of them. Bytes that are appended meanwhile, as to a log, are left out.
 * @throws FileChanged at the end, or when the bytes run out: what came before may be a mixture.
 */
export async function* readWhole(handle: FileHandle, part?: Part): AsyncGenerator<Buffer, void, void> {
  const before = await handle.stat({ bigint: true });
  const { from, to } = part ?? { from: 0, to: Number(before.size) };
  for (let position = from; position < to;) {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, to - position));
    const { bytesRead } = await handle.read(piece, 0, piece.length, position);
    if (bytesRead === 0) throw new FileChanged();
    position += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
  if (!isSame(before, await handle.stat({ bigint: true }))) throw new FileChanged();
}
