import { createGunzip } from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import tar from 'tar-stream';
import { RatioGuard } from './ratio-guard.ts';
import { shownPath } from './entry-path.ts';
import { systemCode } from '../app-error.ts';
import { asRefusal, refuse, type UnpackTarget } from './unpack-target.ts';

type Pieces = AsyncIterable<Uint8Array>;

/** A file in an archive while it is read. */
type Entry = AsyncIterable<unknown> & { readonly header: tar.Header; readonly resume: () => unknown };

const typeNames: Readonly<Record<string, string>> = {
  link: 'a hard link',
  symlink: 'a symbolic link',
  'character-device': 'a device',
  'block-device': 'a device',
  fifo: 'a pipe',
};

async function unpackEntry(entry: Entry, target: UnpackTarget): Promise<void> {
  const { name, type, mode, pax } = entry.header;
  // tar(5), "Pax Interchange Format": a sparse file is stored as a list of its parts, which would be written as they are.
  const isSparse = Object.keys(pax ?? {}).some((key) => key.startsWith('GNU.sparse'));
  if (type === 'directory') {
    await target.addDirectory(name);
    entry.resume();
  } else if (type === 'file' && !isSparse) {
    await target.addFile(name, entry as Pieces, (mode & 0o100) !== 0);
  } else {
    const what = isSparse ? 'a sparse file' : (typeNames[type] ?? 'neither a file nor a directory');
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
  const extract = tar.extract();
  const flow = pipeline(
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
    extract,
  );
  const failure = flow.then(
    () => undefined,
    (error: unknown) => error,
  );
  try {
    for await (const entry of extract) await unpackEntry(entry, target);
    await flow;
  } catch (error) {
    // The reader of an entry learns only that its stream is destroyed; the flow has the reason.
    const isEcho = systemCode(error) === 'STREAM_DESTROYED';
    const cause = isEcho ? await failure : error;
    throw lost === undefined ? asRefusal(cause, 'tar.gz') : lost.error;
  }
}
