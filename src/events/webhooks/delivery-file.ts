/**
 * `webhooks.jsonl`: what is to be delivered, and after which event the next messages are made. One line says both, so that
 * a kill leaves neither a message twice nor a gap. A line is in the file before anything is sent because of it.
 */
import { appendFile } from 'node:fs/promises';
import { messageOf } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { Mutex } from '../../lib/async/mutex.ts';
import { readPlainBytes } from '../../lib/files/plain-file.ts';
import { writeDurably } from '../../lib/files/write-durably.ts';
import { lineSchema, type DeliveryLine } from './delivery.ts';
import { DeliveryState } from './delivery-state.ts';

const fileMode = 0o600;
/** Longer than what we keep can be. */
const maxBytes = 512 * 1024 * 1024;
/** Written anew when more lines than this are of no use, and twice as many as are of use. */
const tolerableWaste = 2_000;
/** After the disk refused, how long until it is asked again. */
const retryMs = 2_000;

const head = JSON.stringify({ file: 'lab-api webhooks', version: 1 });

/** The newline stands before each line: one that is added behind a line that was cut off still stands alone. */
const textOf = (line: DeliveryLine): string => `\n${JSON.stringify(line)}`;

function* contentOf(state: DeliveryState): Generator<string> {
  yield head;
  for (const line of state.lines()) yield textOf(line);
}

function parseLine(text: string): DeliveryLine | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export class DeliveryFile {
  readonly state = new DeliveryState();
  readonly #file: string;
  readonly #log: Logger;
  readonly #turn = new Mutex();
  #lineCount = 0;
  /** Whether lines may be added: all that the state knows is in the file. */
  #isSound = false;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(file: string, log: Logger) {
    this.#file = file;
    this.#log = log;
  }

  /** Whether there was a file. Never rejects: one that cannot be read is reported, and knows nothing. */
  async load(): Promise<boolean> {
    const reading = await readPlainBytes(this.#file, { maxBytes, followsLinks: false });
    if (reading.kind === 'absent') return false;
    const [first, ...lines] = reading.kind === 'found' ? reading.bytes.toString('utf8').split('\n') : [];
    if (first !== head) {
      const cause = reading.kind === 'found' ? 'it is none of ours' : messageOf(reading.error);
      this.#log.error('webhooks that were to be delivered are lost', { file: this.#file, cause });
      return false;
    }
    for (const text of lines) {
      const line = parseLine(text);
      if (line) this.state.apply(line);
    }
    return true;
  }

  /** Notes something, in memory and on disk. Never rejects: what the disk refuses is written as soon as it can be. */
  async note(line: DeliveryLine): Promise<void> {
    this.state.apply(line);
    await this.#turn.run(async () => this.#write(line)).catch((error: unknown) => this.#report(error));
  }

  async #write(line: DeliveryLine): Promise<void> {
    const waste = this.#lineCount - this.state.size;
    if (this.#isSound && waste <= tolerableWaste + 2 * this.state.size) {
      this.#isSound = false;
      await appendFile(this.#file, textOf(line), { mode: fileMode, flush: true });
      this.#lineCount += 1;
      this.#isSound = true;
    } else if (performance.now() - this.#failedAtMs > retryMs) await this.#writeAnew();
  }

  async #writeAnew(): Promise<void> {
    this.#isSound = false;
    const count = this.state.size;
    await writeDurably(this.#file, contentOf(this.state), fileMode);
    this.#lineCount = count;
    this.#isSound = true;
  }

  #report(error: unknown): void {
    this.#isSound = false;
    // Tried again every few seconds: once in the log is enough.
    if (this.#failedAtMs === Number.NEGATIVE_INFINITY)
      this.#log.error('webhooks cannot be recorded; after a restart, some may be sent twice', {
        file: this.#file,
        cause: messageOf(error),
      });
    this.#failedAtMs = performance.now();
  }

  /** Writes what the disk refused, for the last time. Never rejects. */
  async close(): Promise<void> {
    await this.#turn
      .run(async () => (this.#isSound || this.state.position === undefined ? undefined : this.#writeAnew()))
      .catch((error: unknown) => this.#report(error));
  }
}
