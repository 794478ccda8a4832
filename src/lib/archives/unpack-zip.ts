import { once } from 'node:events';
import { crc32 } from 'node:zlib';
import type yauzl from 'yauzl';
import { RatioGuard } from './ratio-guard.ts';
import { shownPath } from './entry-path.ts';
import { asRefusal, refuse, type UnpackTarget } from './unpack-target.ts';

/** stat(2): the type of a file in its mode; 0 where it is not stated. */
const typeMask = 0o170000;
const [regularType, directoryType] = [0o100000, 0o040000];

/** The upper half of the external attributes is the mode of a Unix file (APPNOTE.TXT, 4.4.15; zip of Info-ZIP). */
function modeOf(entry: yauzl.Entry): number {
  return entry.externalFileAttributes >>> 16;
}

/** @throws AppError `archive-refused` about what is neither a file nor a directory, or cannot be read. */
function checkEntry(entry: yauzl.Entry): void {
  const type = modeOf(entry) & typeMask;
  const name = shownPath(entry.fileName);
  const isDirectory = entry.fileName.endsWith('/');
  if (type !== 0 && type !== regularType && type !== directoryType)
    throw refuse(`${name} is a link or a special file`);
  if (type !== 0 && (type === directoryType) !== isDirectory)
    throw refuse(`${name} is a directory by its type or by its name, but not by both`);
  if (!isDirectory && !entry.canDecodeFileData())
    throw refuse(`${name} is encrypted, or compressed in a way other than "deflate"`);
}

/** Passes the content of a file on. @throws AppError `archive-refused` at its end if its CRC-32 differs; yauzl checks only its size. */
async function* verified(
  content: AsyncIterable<Uint8Array>,
  entry: yauzl.Entry,
): AsyncGenerator<Uint8Array, void, void> {
  let sum = 0;
  for await (const piece of content) {
    sum = crc32(piece, sum);
    yield piece;
  }
  if (sum !== entry.crc32)
    throw refuse(`${shownPath(entry.fileName)} is damaged: its checksum (CRC-32) differs`);
}

async function unpackEntries(zip: yauzl.ZipFile, target: UnpackTarget): Promise<void> {
  const guard = new RatioGuard(target.limits.maxRatio);
  guard.bytesIn = zip.fileSize;
  for await (const entry of zip.eachEntry()) {
    checkEntry(entry);
    // The size is declared beforehand, and an entry of another size is refused, which finds entries that share their bytes.
    guard.addOut(entry.uncompressedSize);
    if (entry.fileName.endsWith('/')) await target.addDirectory(entry.fileName);
    else {
      const content = await zip.openReadStreamPromise(entry);
      // The stream reads ahead. An error before the first reader would end the program without a listener; the reader gets it too.
      content.on('error', () => undefined);
      try {
        await target.addFile(entry.fileName, verified(content, entry), (modeOf(entry) & 0o100) !== 0);
      } finally {
        // A refusal before the first reader would leave the stream open, and with it the file.
        content.destroy();
      }
    }
  }
}

/**
 * Unpacks a zip file, which must be there whole: what it holds stands at its end. Files and directories only.
 * @throws AppError `archive-refused`, `payload-too-large`; Error of the system.
 */
export async function unpackZip(file: string, target: UnpackTarget): Promise<void> {
  try {
    const { openPromise } = await import('yauzl');
    const zip = await openPromise(file, {
      autoClose: false,
      lazyEntries: true,
      strictFileNames: true,
      validateEntrySizes: true,
    });
    try {
      await unpackEntries(zip, target);
    } finally {
      const closed = once(zip, 'close');
      zip.close();
      await closed;
    }
  } catch (error) {
    throw asRefusal(error, 'zip');
  }
}
