/** The images for netlab's nodes in namespaces, which the bundled engine keeps (src/engine/images). */
import * as z from 'zod';
import { AppError } from '../lib/app-error.ts';
import { errorCodes, type ErrorCode } from '../lib/error-codes.ts';
import { harmlessText } from '../lib/text/harmless-text.ts';
import { engine } from './drivers/engine/engine.ts';
import type { Environment } from './drivers/lab-driver.ts';
import { environmentFor, type JobUser } from './program/job-user.ts';
import { labCliEnvironment } from './program/lab-cli.ts';
import { runCaptured, type RunResult } from './system/run.ts';

const imageSchema = z.object({
  name: z.string(),
  id: z.string(),
  size: z.number(),
  addedAt: z.string(),
  isRouter: z.boolean(),
});

export type Image = z.output<typeof imageSchema>;

const failureSchema = z.object({
  code: z.enum(errorCodes as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
});

interface ImagesDeps {
  readonly env: Environment;
  /** Jobs and images are those of one user. */
  readonly runAs?: JobUser | undefined;
  /** They may change. */
  readonly limits: { readonly maxAllImagesBytes: number; readonly minFreeDiskBytes: number };
}

interface Asked {
  readonly input?: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

/** An image of a few gigabytes over a slow line. */
const timeoutMs = 3_600_000;

function failureOf({ stdout, stderr, ended, spawnError }: RunResult): AppError {
  if (ended === 'timeout') return new AppError('request-timeout', 'it took longer than an hour');
  if (ended === 'aborted') return new AppError('shutting-down', 'the service stops, and does no more of it');
  const failure = failureSchema.safeParse(parsed(stdout));
  if (failure.success) return new AppError(failure.data.code, failure.data.message);
  const why =
    /^Fatal error in lab image: (.*)$/m.exec(stderr.toString('utf8'))?.[1] ?? 'the program was ended';
  return new AppError('storage-fault', `the images cannot be used: ${harmlessText(spawnError ?? why)}`);
}

function parsed(output: Buffer): unknown {
  try {
    return JSON.parse(output.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Each addition is a process, and writes to the disk. */
const additionsAtOnce = 4;

export class Images {
  readonly #deps: ImagesDeps;
  #additions = 0;

  constructor({ env, runAs, limits }: ImagesDeps) {
    this.#deps = { env: runAs ? environmentFor(runAs, env) : env, runAs, limits };
  }

  /** Sorted by name. @throws AppError `storage-fault`. */
  async list(signal: AbortSignal): Promise<readonly Image[]> {
    const document = await this.#run(['list'], { signal });
    return z.object({ images: z.array(imageSchema) }).parse(document).images;
  }

  /**
   * Adds the image in an archive, in place of one that has its name.
   * @throws AppError `invalid-request`, `archive-refused`, `payload-too-large`, `quota-exceeded`, `disk-full`, `storage-fault`;
   *   what `input` throws.
   */
  async add(name: string, asked: Required<Asked>): Promise<Image> {
    if (this.#additions >= additionsAtOnce)
      throw new AppError('queue-full', `${additionsAtOnce} images are being added: try again later`);
    const { maxAllImagesBytes, minFreeDiskBytes } = this.#deps.limits;
    const limits = ['--max-size', String(maxAllImagesBytes), '--min-free', String(minFreeDiskBytes)];
    this.#additions += 1;
    try {
      return imageSchema.parse(await this.#run(['add', ...limits, '--', name, '-'], asked));
    } catch (error) {
      // It may have been killed; this removes its files.
      if (!asked.signal.aborted) void this.list(asked.signal).catch(() => undefined);
      throw error;
    } finally {
      this.#additions -= 1;
    }
  }

  /** @throws AppError `image-not-found`, `storage-fault`. */
  async remove(name: string, signal: AbortSignal): Promise<void> {
    await this.#run(['remove', '--', name], { signal });
  }

  /** Gives the JSON that the engine prints. */
  async #run([command = '', ...words]: readonly string[], asked: Asked): Promise<unknown> {
    const { env, runAs } = this.#deps;
    const program = engine.find(env);
    if (program === undefined) throw new AppError('not-supported', 'the bundled engine was not built');
    const result = await runCaptured(program.file, ['image', command, '--format', 'json', ...words], {
      env: labCliEnvironment(program, env),
      timeoutMs,
      words: runAs?.commandPrefix ?? [],
      ...asked,
    });
    if (result.exitCode !== 0) throw failureOf(result);
    return parsed(result.stdout);
  }
}
