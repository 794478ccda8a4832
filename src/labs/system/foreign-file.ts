/**
 * Reads files that users, labs and lab CLIs can write, and their output. Such a text may be as long and as deep as its writer
 * likes, so there is one way to read it: up to a size, no deeper than a limit, and in a thread when it is long. Other
 * requests do not wait for it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../lib/app-error.ts';
import { Thread, ThreadFailure } from '../../lib/async/thread.ts';
import { packageFile } from '../../lib/files/package-root.ts';
import { readPlainBytes, TooLongFile } from '../../lib/files/plain-file.ts';
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
const answerLengthMax = 5 * 1024 * 1024;

/** Values of more JSON than this take some ten megabytes of memory each. */
const largeLength = 1024 * 1024;
const large = new WeakSet<object>();

/** Whether a value that was read is so large that few of its kind should be kept. */
export function isLarge(value: object): boolean {
  return large.has(value);
}

/** A list of mistakes for a person. */
const linesMax = 20;
const lineLengthMax = 300;

/** A text, or the file that it is in: the thread reads it, and the event loop has nothing to do with its bytes. */
type Source = { readonly bytes: Uint8Array } | { readonly file: string; readonly followsLinks: boolean };

export interface ForeignTask {
  readonly form: string;
  readonly source: Source;
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

/** A status document of a thousand nodes is below 1 MiB. It takes some 30 ms to parse this. */
const reportBytesMax = 4 * 1024 * 1024;

/** The value of the JSON that a lab CLI printed in answer to a question. @throws Error as `parseJson`, or when it is too long. */
export function parseReport(output: Buffer): unknown {
  if (output.length > reportBytesMax) throw new Error(`it is longer than ${reportBytesMax} bytes`);
  return parseJson(output);
}

async function bytesOf(source: Source, maxBytes: number): Promise<Buffer> {
  if ('bytes' in source)
    return Buffer.from(source.bytes.buffer, source.bytes.byteOffset, source.bytes.byteLength);
  const reading = await readPlainBytes(source.file, { maxBytes, followsLinks: source.followsLinks });
  if (reading.kind !== 'found') throw reading.error;
  return reading.bytes;
}

/** The part of the thread. Never rejects. */
export async function answerForeign<Argument>(
  form: Pick<Form<unknown, Argument>, 'read' | 'maxBytes'>,
  source: Source,
  argument: Argument,
): Promise<ForeignAnswer> {
  try {
    const json = JSON.stringify(await form.read(await bytesOf(source, form.maxBytes), argument));
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

async function readBeside<T, Argument>(
  { name }: Form<T, Argument>,
  source: Source,
  argument: Argument,
): Promise<T> {
  const answer = await thread.ask({ form: name, source, argument }).catch((error: unknown) => {
    const isMemory = error instanceof ThreadFailure && error.loss === 'memory';
    const why = isMemory ? 'it takes more memory than it may' : messageOf(error);
    throw new ForeignFileError(`it cannot be read: ${why}`, { cause: error });
  });
  if (answer.kind === 'refused') throw new ForeignFileError(answer.lines);
  const value = JSON.parse(answer.json) as T;
  if (answer.json.length > largeLength && typeof value === 'object' && value !== null) large.add(value);
  // To make a reply of it takes as long once more: others have their turn in between.
  await nextTurn();
  return value;
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
  return readBeside(form, { bytes }, argument as Argument);
}

/**
 * Reads a file. A pipe or a device is not waited for.
 * @throws ForeignFileError; Error of open(2), NotPlainFile when it cannot be read.
 */
export async function readForeign<T>(
  file: string,
  form: Form<T>,
  { followsLinks = false }: { readonly followsLinks?: boolean } = {},
): Promise<T> {
  const reading = await readPlainBytes(file, { maxBytes: form.besideBytes, followsLinks });
  if (reading.kind === 'found') return readHere(form, reading.bytes, undefined);
  if (!(reading.error instanceof TooLongFile)) throw reading.error;
  return readBeside(form, { file, followsLinks }, undefined);
}
