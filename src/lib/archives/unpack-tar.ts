import { createGunzip } from 'node:zlib';
import { RatioGuard } from './ratio-guard.ts';
import { shownPath } from './entry-path.ts';
import { isSparse, readTar, type Pieces, type TarEntry } from './read-tar.ts';
import { refuse, type UnpackTarget } from './unpack-target.ts';

const typeNames: Readonly<Record<string, string>> = {
  link: 'a hard link',
  symlink: 'a symbolic link',
  'character-device': 'a device',
  'block-device': 'a device',
  fifo: 'a pipe',
};

async function unpackEntry(entry: TarEntry, target: UnpackTarget): Promise<void> {
  const { name, type, mode } = entry.header;
  if (type === 'directory') {
    await target.addDirectory(name);
    entry.resume();
  } else if (type === 'file' && !isSparse(entry.header)) {
    await target.addFile(name, entry, (mode & 0o100) !== 0);
  } else {
    const what = isSparse(entry.header)
      ? 'a sparse file'
      : (typeNames[type] ?? 'neither a file nor a directory');
    throw refuse(`${shownPath(name)} is ${what}`);
  }
}

/** Passes the pieces on. `note` receives the error of their source, which later steps may replace by another error. */
async function* noting(
  pieces: Pieces,
  note: (error: unknown) => void,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* pieces;
  } catch (error) {
    note(error);
    throw error;
  }
}

/** pax(1), "ustar Interchange Format": an archive ends with at least two blocks of zeros. */
const endMarker = Buffer.alloc(1024);

/** Passes a tar file on. @throws AppError `archive-refused` at its end if it lacks the end marker: the tar file was cut off. */
async function* whole(pieces: Pieces): AsyncGenerator<Uint8Array, void, void> {
  let end: Uint8Array = Buffer.alloc(0);
  for await (const piece of pieces) {
    end = Buffer.concat([end, piece.subarray(-endMarker.length)]).subarray(-endMarker.length);
    yield piece;
  }
  if (!endMarker.equals(end))
    throw refuse('the tar file in it is empty, cut off, or goes on behind its end (two blocks of zeros)');
}

/**
 * Unpacks a tar file that was compressed with gzip, while it comes. Files and directories only. `source` may be left in the
 * middle; the caller ends it then.
 * @throws AppError `archive-refused`, `payload-too-large`; what `source` throws; Error of the system.
 */
export async function unpackTarGz(source: Pieces, target: UnpackTarget): Promise<void> {
  const guard = new RatioGuard(target.limits.maxRatio);
  let lost: { readonly error: unknown } | undefined;
  const steps = [
    source,
    async function* (pieces: Pieces) {
      for await (const piece of noting(pieces, (error) => (lost = { error }))) {
        guard.bytesIn += piece.length;
        yield piece;
      }
    },
    createGunzip(),
    whole,
    async function* (pieces: Pieces) {
      for await (const piece of pieces) {
        guard.addOut(piece.length);
        yield piece;
      }
    },
  ];
  try {
    await readTar(steps, 'tar.gz', async (entry) => unpackEntry(entry, target));
  } catch (error) {
    throw lost === undefined ? error : lost.error;
  }
}
