/** Whose labs are, in one file that is replaced whole at each change. */
import { rename } from 'node:fs/promises';
import * as z from 'zod';
import { messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import { Mutex } from '../lib/mutex.ts';
import { readPlainFile } from '../lib/plain-file.ts';
import { writeDurably } from '../lib/write-durably.ts';

const time = z.int().min(0);

/** A lab that was started in this time is this owner's. Times are ms since 1970. */
const spanSchema = z.object({
  /** The id of the job that ran then; null when somebody was given the lab. */
  job: z.string().nullable(),
  owner: z.string().nullable(),
  from: time,
  /** Null while the job runs. */
  to: time.nullable(),
});
export type OwnedSpan = Readonly<z.infer<typeof spanSchema>>;

const contentSchema = z.object({ directories: z.record(z.string(), z.array(spanSchema)) });
export type Spans = ReadonlyMap<string, readonly OwnedSpan[]>;

const fileMode = 0o600;

export class OwnerFile {
  readonly #file: string;
  readonly #log: Logger;
  readonly #turn = new Mutex();

  constructor(file: string, log: Logger) {
    this.#file = file;
    this.#log = log;
  }

  /**
   * By directory, oldest first. A file that cannot be understood is set aside: the jobs' records say the most of it again.
   * @throws Error when the disk refuses.
   */
  async load(): Promise<Map<string, readonly OwnedSpan[]>> {
    const reading = await readPlainFile(this.#file);
    if (reading.kind === 'absent') return new Map();
    if (reading.kind !== 'found')
      throw new Error(`cannot read ${this.#file}: ${messageOf(reading.error)}`, { cause: reading.error });
    try {
      return new Map(Object.entries(contentSchema.parse(JSON.parse(reading.text)).directories));
    } catch (error) {
      const aside = `${this.#file}.damaged-${Date.now()}`;
      await rename(this.#file, aside);
      this.#log.error('whose labs are cannot be understood and was set aside: it is told from the jobs', {
        file: aside,
        cause: messageOf(error),
      });
      return new Map();
    }
  }

  /** Writes what `spans` gives when its turn comes. @throws Error when the disk refuses. */
  async save(spans: () => Spans): Promise<void> {
    await this.#turn.run(async () => {
      const text = JSON.stringify({ directories: Object.fromEntries(spans()) });
      await writeDurably(this.#file, `${text}\n`, fileMode);
    });
  }
}
