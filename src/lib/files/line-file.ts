/**
 * A file of JSON lines that grows by a line for each change, and is written anew when most of its lines are of no use. A line is on
 * disk when `add` resolves, unless the disk refused it; lines that are added together go to the disk together.
 */
import { appendFile } from 'node:fs/promises';
import { messageOf } from '../app-error.ts';
import { Mutex } from '../async/mutex.ts';
import type { Logger } from '../logger.ts';
import { readPlainBytes } from './plain-file.ts';
import { writeDurably } from './write-durably.ts';

const fileMode = 0o600;
/** Longer than a file of ours can be. */
const maxBytes = 512 * 1024 * 1024;
/** Written anew when more lines than this are of no use, and twice as many as are of use. */
const tolerableWaste = 2_000;
/** After the disk refused, how long until it is asked again. */
const retryMs = 2_000;

/** The newline stands before each line: one that is added behind a line that was cut off still stands alone. */
const textOf = (line: unknown): string => `\n${JSON.stringify(line)}`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface LineFileOptions {
  readonly file: string;
  /** The first line; a file that begins otherwise is not read. */
  readonly head: string;
  /** All that the file has to say now, and how many lines that takes. */
  readonly content: () => Iterable<unknown>;
  readonly size: () => number;
  /** For the log: the loss if the file cannot be read, and if it cannot be written. */
  readonly losses: { readonly unread: string; readonly unwritten: string };
  readonly log: Logger;
}

export class LineFile {
  readonly #options: LineFileOptions;
  readonly #turn = new Mutex();
  #waiting: string[] = [];
  #lineCount = 0;
  /** Whether lines may be added: all that there is to say is in the file. */
  #isSound = false;
  #isUsed = false;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: LineFileOptions) {
    this.#options = options;
  }

  /** Calls `apply` for each line that can be read. Never rejects: a file that cannot be read is reported, and has no lines. */
  async load(apply: (line: unknown) => void): Promise<void> {
    const { file, head, losses, log } = this.#options;
    const reading = await readPlainBytes(file, { maxBytes, followsLinks: false });
    if (reading.kind === 'absent') return;
    const [first, ...lines] = reading.kind === 'found' ? reading.bytes.toString('utf8').split('\n') : [];
    if (first !== head) {
      const cause = reading.kind === 'found' ? 'it is none of ours' : messageOf(reading.error);
      log.error(losses.unread, { file, cause });
      return;
    }
    for (const text of lines) apply(parsed(text));
    this.#isUsed = true;
  }

  /** Adds a line that `content` has by now. Never rejects: lines that the disk refuses are written as soon as it takes them. */
  async add(line: unknown): Promise<void> {
    this.#isUsed = true;
    this.#waiting.push(textOf(line));
    await this.#turn.run(async () => this.#write()).catch((error: unknown) => this.#report(error));
  }

  async #write(): Promise<void> {
    const { file, size } = this.#options;
    const texts = this.#waiting;
    this.#waiting = [];
    // They went to the disk with an earlier one.
    if (texts.length === 0) return;
    const waste = this.#lineCount - size();
    if (this.#isSound && waste <= tolerableWaste + 2 * size()) {
      this.#isSound = false;
      await appendFile(file, texts.join(''), { mode: fileMode, flush: true });
      this.#lineCount += texts.length;
      this.#isSound = true;
    } else if (performance.now() - this.#failedAtMs > retryMs) await this.#writeAnew();
  }

  async #writeAnew(): Promise<void> {
    const { file, head, content, size } = this.#options;
    this.#isSound = false;
    const count = size();
    await writeDurably(
      file,
      (function* () {
        yield head;
        for (const line of content()) yield textOf(line);
      })(),
      fileMode,
    );
    this.#lineCount = count;
    this.#isSound = true;
    this.#failedAtMs = Number.NEGATIVE_INFINITY;
  }

  #report(error: unknown): void {
    const { file, losses, log } = this.#options;
    this.#isSound = false;
    // Tried again every few seconds: once in the log is enough for one outage.
    if (this.#failedAtMs === Number.NEGATIVE_INFINITY)
      log.error(losses.unwritten, { file, cause: messageOf(error) });
    this.#failedAtMs = performance.now();
  }

  /** Writes what the disk refused, for the last time. Never rejects. */
  async close(): Promise<void> {
    await this.#turn
      .run(async () => (this.#isSound || !this.#isUsed ? undefined : this.#writeAnew()))
      .catch((error: unknown) => this.#report(error));
  }
}
