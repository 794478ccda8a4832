/** `lab image`: the images for netlab's nodes in namespaces. */
import { addAbortSignal, type Readable } from 'node:stream';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { AppError, messageOf, systemCode } from '../../lib/app-error.ts';
import { formatSize } from '../../lib/text/size.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { addImage, listImages, removeImage, sweepImages, type Image } from '../images/image-store.ts';
import type { ImageLimits } from '../images/room.ts';

export interface ImageOptions {
  readonly format: 'text' | 'json';
}

/** An image as others see it. */
function shown({ name, id, size, addedAt, isRouter }: Image) {
  return { name, id, size, addedAt, isRouter };
}

/** In JSON, a failure has the code that the API gives it. */
async function reported(
  context: EngineContext,
  { format }: ImageOptions,
  task: () => Promise<void>,
): Promise<number> {
  try {
    await task();
    return 0;
  } catch (error) {
    if (format === 'text' || !(error instanceof AppError)) throw error;
    context.out(`${JSON.stringify({ code: error.code, message: messageOf(error) })}\n`);
    return 1;
  }
}

export async function imageListCommand(context: EngineContext, options: ImageOptions): Promise<number> {
  return reported(context, options, async () => {
    const images = await listImages(context);
    // After an addition that was killed, this may be the first command.
    await sweepImages(context);
    if (options.format === 'json') context.out(`${JSON.stringify({ images: images.map(shown) })}\n`);
    else if (images.length === 0)
      context.out(`There are no images in ${context.home}: "lab image add NAME ARCHIVE" adds one\n`);
    else {
      const width = Math.max(...images.map(({ name }) => name.length));
      for (const { name, size, addedAt } of images)
        context.out(`${name.padEnd(width)}  ${formatSize(size).padStart(9)}  ${addedAt}\n`);
    }
  });
}

interface AddOptions extends ImageOptions {
  readonly name: string;
  /** A file, or `-` for the standard input. */
  readonly archive: string;
  readonly limits: ImageLimits;
}

/** @throws EngineError when it cannot be read. */
async function opened(archive: string, signal: AbortSignal): Promise<Readable> {
  if (archive === '-') return addAbortSignal(signal, process.stdin);
  const stats = await stat(archive).catch((error: unknown) => {
    throw new EngineError(`cannot read the archive ${archive} (${systemCode(error)})`);
  });
  if (stats.isDirectory()) throw new EngineError(`the archive ${archive} is a directory`);
  return createReadStream(archive, { signal });
}

export async function imageAddCommand(context: EngineContext, options: AddOptions): Promise<number> {
  return reported(context, options, async () => {
    const source = await opened(options.archive, context.interrupted);
    const image = await addImage(context, options.name, source, options.limits);
    if (options.format === 'json') context.out(`${JSON.stringify(shown(image))}\n`);
    else context.out(`Added the image ${image.name} (${formatSize(image.size)})\n`);
  });
}

export async function imageRemoveCommand(
  context: EngineContext,
  { name, ...options }: ImageOptions & { readonly name: string },
): Promise<number> {
  return reported(context, options, async () => {
    await removeImage(context, name);
    if (options.format === 'text') context.out(`Removed the image ${name}\n`);
  });
}
