import zlib from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import { PassThrough, type Transform } from 'node:stream';
import { RatioGuard } from '../../lib/archives/ratio-guard.ts';
import type { Pieces } from '../../lib/archives/read-tar.ts';
import { refuse } from '../../lib/archives/unpack-target.ts';

/** Files of text and zeros compress well; what is above this was made to fill a disk. */
const maxRatio = 200;

/** The first bytes of a compressed file: RFC 1952, 2.3.1, and RFC 8878, 3.1.1. */
const isGzip = (head: Buffer): boolean => head.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b]));
const isZstandard = (head: Buffer): boolean =>
  head.subarray(0, 4).equals(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]));

/** Compressed files that Node cannot read, by their first bytes in hexadecimal digits. */
const others: Readonly<Record<string, string>> = { fd377a: 'xz', '425a68': 'bzip2' };

/** Undefined when it is not compressed. */
function decoderOf(head: Buffer): Transform | undefined {
  if (isGzip(head)) return zlib.createGunzip();
  const other = others[head.subarray(0, 3).toString('hex')];
  if (other !== undefined) throw refuse(`it is compressed with ${other}: use gzip`);
  if (!isZstandard(head)) return undefined;
  // Node has it from 22.15 on.
  const { createZstdDecompress: create } = zlib as { createZstdDecompress?: () => Transform };
  if (create === undefined)
    throw refuse('it is compressed with zstd, which this version of Node does not read: use gzip');
  return create();
}

/** Passes bytes on, decompressed if they are a file of gzip or zstd. @throws AppError `archive-refused`, `payload-too-large`. */
export async function* decompressed(source: Pieces): AsyncGenerator<Uint8Array, void, void> {
  const pieces = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let next = await pieces.next();
  while (next.done !== true && head.length < 4) {
    head = Buffer.concat([head, next.value]);
    if (head.length < 4) next = await pieces.next();
  }
  const guard = new RatioGuard(maxRatio);
  async function* all(): AsyncGenerator<Uint8Array, void, void> {
    guard.bytesIn += head.length;
    yield head;
    for await (const piece of { [Symbol.asyncIterator]: () => pieces }) {
      guard.bytesIn += piece.length;
      yield piece;
    }
  }
  const decoder = decoderOf(head);
  if (decoder === undefined) {
    yield* all();
    return;
  }
  const output = new PassThrough();
  const flow = pipeline(all, decoder, output);
  // It also ends the reader of `output`, with the same error.
  flow.catch(() => undefined);
  for await (const piece of output as AsyncIterable<Buffer>) {
    guard.addOut(piece.length);
    yield piece;
  }
  await flow;
}
