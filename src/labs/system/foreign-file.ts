/**
 * Reads files that users, labs and lab CLIs can write, and their output. Such a text may be as long and as deep as its writer
 * likes, so there is one way to read it: up to a size, no deeper than a limit, and in a thread when it is long. Nobody else
 * waits for it.
 */
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../lib/app-error.ts';
import { Mutex } from '../../lib/async/mutex.ts';
import { Thread, ThreadFailure } from '../../lib/async/thread.ts';
import { packageFile } from '../../lib/files/package-root.ts';
import { readPlainBytes, TooLongFile, type PlainBytes } from '../../lib/files/plain-file.ts';
import { findExcess } from '../../lib/text/json-bounds.ts';

/** How texts of one kind are understood. */
export interface Form<T, Argument = undefined> {
  /** By which the thread knows it (`drivers/foreign-worker.ts`). */
  readonly name: string;
  /** Longer ones are refused. */
  readonly maxBytes: number;
  /** Longer ones go to the thread. */
  readonly besideBytes: number;
  /**
   * Returns a value that JSON can express, since the thread answers with JSON.
   * @throws Error about a text that is none. It ends at the first mistake: there may be millions.
   */
  readonly read: (bytes: Buffer, argument: Argument) => T | Promise<T>;
}

/** Some milliseconds for JSON. */
export const shortBytes = 256 * 1024;

/** The thread hands over no more than this; the event loop parses it in some 50 ms. */
const answerLengthMax = 8 * 1024 * 1024;

/** A list of mistakes for a person. */
const linesMax = 20;
const lineLengthMax = 300;

export interface ForeignTask {
  readonly form: string;
  readonly bytes: Uint8Array;
  readonly argument: unknown;
}

export type ForeignAnswer =
  { readonly kind: 'read'; readonly json: string } | { readonly kind: 'refused'; readonly lines: string };

/** The text is too long, too deep, or not of the form; the message says which, in a few lines. */
export class ForeignFileError extends Error {
  override readonly name = 'ForeignFileError';
}

function refusal(cause: unknown): ForeignFileError {
  const lines = messageOf(cause)
    .slice(0, linesMax * lineLengthMax)
    .split('\n')
    .slice(0, linesMax);
  return new ForeignFileError(lines.map((line) => line.slice(0, lineLengthMax)).join('\n'), { cause });
}

/** The value of a JSON text. @throws Error when it is too deep, has too many values, or is no JSON. */
export function parseJson(bytes: Buffer): unknown {
  const excess = findExcess(bytes);
  if (excess !== undefined) throw new Error(excess);
  return JSON.parse(bytes.toString('utf8'));
}

/** The part of the thread. Never rejects. */
export async function answerForeign<Argument>(
  form: Pick<Form<unknown, Argument>, 'read'>,
  bytes: Buffer,
  argument: Argument,
): Promise<ForeignAnswer> {
  try {
    const json = JSON.stringify(await form.read(bytes, argument));
    if (json.length > answerLengthMax) throw new Error('it describes more than the service can show');
    return { kind: 'read', json };
  } catch (error) {
    return { kind: 'refused', lines: refusal(error).message };
  }
}

const longestMs = 10_000;
const mostMemoryMb = 512;

const thread = new Thread<ForeignTask, ForeignAnswer>({
  // The built file, also for tests, which run the sources.
  program: pathToFileURL(packageFile('dist', 'labs', 'drivers', 'foreign-worker.js')),
  // It keeps no process from its end, and goes with it.
  shutdown: new AbortController().signal,
  timeoutMs: longestMs,
  memoryMb: mostMemoryMb,
});

/** One long text is in memory at a time. */
const turn = new Mutex();

async function readBeside<T, Argument>(
  form: Form<T, Argument>,
  bytes: Buffer,
  argument: Argument,
): Promise<T> {
  const answer = await thread.ask({ form: form.name, bytes, argument }).catch((error: unknown) => {
    if (error instanceof ThreadFailure && error.loss === 'memory')
      throw new ForeignFileError('reading it takes more memory than it may', { cause: error });
    throw new ForeignFileError(`it cannot be read: ${messageOf(error)}`, { cause: error });
  });
  if (answer.kind === 'refused') throw new ForeignFileError(answer.lines);
  return JSON.parse(answer.json) as T;
}

async function readHere<T, Argument>(form: Form<T, Argument>, bytes: Buffer, argument: Argument): Promise<T> {
  try {
    return await form.read(bytes, argument);
  } catch (error) {
    throw refusal(error);
  }
}

type Rest<Argument> = Argument extends undefined ? readonly [] : readonly [Argument];

/** Understands a text that is in memory, such as the output of a lab CLI. @throws ForeignFileError. */
export async function understand<T, Argument = undefined>(
  form: Form<T, Argument>,
  bytes: Buffer,
  ...[argument]: Rest<Argument>
): Promise<T> {
  if (bytes.length > form.maxBytes) throw new ForeignFileError(`it is longer than ${form.maxBytes} bytes`);
  if (bytes.length <= form.besideBytes) return readHere(form, bytes, argument as Argument);
  return turn.run(async () => readBeside(form, bytes, argument as Argument));
}

const isLong = (reading: PlainBytes): boolean =>
  reading.kind === 'unreadable' && reading.error instanceof TooLongFile;

/**
 * Reads a file. A pipe or a device is not waited for.
 * @throws ForeignFileError; Error of open(2), NotPlainFile when it cannot be read.
 */
export async function readForeign<T>(
  file: string,
  form: Form<T>,
  { followsLinks = false }: { readonly followsLinks?: boolean } = {},
): Promise<T> {
  const short = await readPlainBytes(file, { maxBytes: form.besideBytes, followsLinks });
  if (short.kind === 'found') return readHere(form, short.bytes, undefined);
  if (!isLong(short)) throw short.error;
  return turn.run(async () => {
    const long = await readPlainBytes(file, { maxBytes: form.maxBytes, followsLinks });
    if (long.kind !== 'found') throw long.error;
    return readBeside(form, long.bytes, undefined);
  });
}
