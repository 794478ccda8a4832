/** All leases in one file, replaced whole at each change. */
import { rename } from 'node:fs/promises';
import * as z from 'zod';
import { messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import { Mutex } from '../lib/mutex.ts';
import { readPlainFile } from '../lib/plain-file.ts';
import { writeDurably } from '../lib/write-durably.ts';
import { expectedLeaseSchema, leaseSchema } from './lease.ts';

const contentSchema = z.object({
  clock: z.object({ bootId: z.string(), bootMs: z.number() }),
  expected: z.array(expectedLeaseSchema),
  leases: z.array(leaseSchema),
});

export type LeaseContent = Readonly<z.infer<typeof contentSchema>>;

const fileMode = 0o600;

export class LeaseFile {
  readonly #file: string;
  readonly #log: Logger;
  readonly #turn = new Mutex();
  #wanted = 0;
  #written = 0;

  constructor(file: string, log: Logger) {
    this.#file = file;
    this.#log = log;
  }

  /** Whether the last change is not on disk yet. */
  get isBehind(): boolean {
    return this.#written < this.#wanted;
  }

  /**
   * What an earlier service left; undefined when there is nothing. A file that cannot be understood is set aside: its labs
   * live on without an end, and a person is told.
   * @throws Error when the disk refuses.
   */
  async load(): Promise<LeaseContent | undefined> {
    const reading = await readPlainFile(this.#file);
    if (reading.kind === 'absent') return undefined;
    if (reading.kind !== 'found')
      throw new Error(`cannot read ${this.#file}: ${messageOf(reading.error)}`, { cause: reading.error });
    try {
      return contentSchema.parse(JSON.parse(reading.text));
    } catch (error) {
      const aside = `${this.#file}.damaged-${Date.now()}`;
      await rename(this.#file, aside);
      this.#log.error('the leases cannot be understood and were set aside: no lab is taken down by them', {
        file: aside,
        cause: messageOf(error),
      });
      return undefined;
    }
  }

  /** Writes what `content` gives when its turn comes; changes that come together go to the disk together. */
  async save(content: () => LeaseContent): Promise<void> {
    const mine = (this.#wanted += 1);
    await this.#turn.run(async () => {
      if (this.#written >= mine) return;
      const covered = this.#wanted;
      await writeDurably(this.#file, `${JSON.stringify(content(), null, 2)}\n`, fileMode);
      this.#written = covered;
    });
  }
}
