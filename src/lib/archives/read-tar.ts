import { pipeline } from 'node:stream/promises';
import tar from 'tar-stream';
import { systemCode } from '../app-error.ts';
import { asRefusal } from './unpack-target.ts';

export type Pieces = AsyncIterable<Uint8Array>;

/** An entry of a tar file; iterating gives its content. */
export type TarEntry = Pieces & { readonly header: tar.Header; readonly resume: () => unknown };

/** A source, or a step that its bytes go through (stream.pipeline in Node's documentation). */
type Step = Pieces | NodeJS.ReadWriteStream | ((pieces: Pieces) => Pieces);

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
    for await (const entry of extract as AsyncIterable<TarEntry>) await use(entry);
    await flow;
  } catch (error) {
    // The reader of an entry learns only that its stream is destroyed; the flow has the reason.
    const isEcho = systemCode(error) === 'STREAM_DESTROYED';
    throw asRefusal(isEcho ? await failure : error, format);
  }
}
