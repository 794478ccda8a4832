import { pipeline } from 'node:stream/promises';
import tar from 'tar-stream';
import { systemCode } from '../app-error.ts';
import { asRefusal, refuse } from './unpack-target.ts';

export type Pieces = AsyncIterable<Uint8Array>;

/** An entry of a tar file; iterating gives its content. */
export type TarEntry = Pieces & {
  readonly header: Omit<tar.Header, 'linkname'> & { readonly linkname: string | null };
  readonly resume: () => unknown;
};

/** A source, or a step that its bytes go through (stream.pipeline in Node's documentation). */
type Step = Pieces | NodeJS.ReadWriteStream | ((pieces: Pieces) => Pieces);

/** PATH_MAX of Linux. tar-stream takes names of up to 4 MiB. */
const maxNameBytes = 4096;

/** tar-stream gives null for a number that it cannot read, and never comes to the end of an entry of that size. */
function assertReadable({ name, linkname, size, mode, uid, gid }: TarEntry['header']): void {
  if (![size, mode, uid, gid].every((value) => Number.isSafeInteger(value) && value >= 0))
    throw refuse('it has a header with a number that cannot be read');
  if ([name, linkname ?? ''].some((text) => Buffer.byteLength(text) > maxNameBytes))
    throw refuse(`it has a name of more than ${maxNameBytes} bytes`);
}

/** tar(5), "Pax Interchange Format": a sparse file is stored as a list of its parts, which would be written as they are. */
export function isSparse({ pax }: TarEntry['header']): boolean {
  return Object.keys(pax ?? {}).some((key) => key.startsWith('GNU.sparse'));
}

/**
 * Reads a tar file while it comes out of the last step. `use` gets each entry in turn, and either reads its content or calls `resume`. `format`
 * names the file in errors.
 * @throws AppError `archive-refused` when it is damaged; what `use` and the steps throw.
 */
export async function readTar(
  steps: readonly Step[],
  format: string,
  use: (entry: TarEntry) => void | Promise<void>,
): Promise<void> {
  const extract = tar.extract();
  const flow = pipeline([...steps, extract] as NodeJS.ReadWriteStream[]);
  const failure = flow.then(
    () => undefined,
    (error: unknown) => error,
  );
  try {
    for await (const entry of extract as AsyncIterable<TarEntry>) {
      assertReadable(entry.header);
      await use(entry);
    }
    await flow;
  } catch (error) {
    // The reader of an entry learns only that its stream is destroyed; the flow has the reason.
    const isEcho = systemCode(error) === 'STREAM_DESTROYED';
    throw asRefusal(isEcho ? await failure : error, format);
  }
}
