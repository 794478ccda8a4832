/** The faults of this service, in memory and on disk. */
import * as z from 'zod';
import { AppError, messageOf } from '../lib/app-error.ts';
import { JsonFile } from '../lib/files/json-file.ts';
import type { Logger } from '../lib/logger.ts';
import { recordSchema, type FaultRecord } from './fault-record.ts';
import type { LabOfCli } from './fault-service.ts';

const contentSchema = z.object({ faults: z.array(recordSchema) });
type FaultContent = Readonly<z.infer<typeof contentSchema>>;

export class FaultBook {
  readonly #file: JsonFile<FaultContent>;
  readonly #log: Logger;
  #records: readonly FaultRecord[] = [];

  constructor({ file, log }: { readonly file: string; readonly log: Logger }) {
    this.#log = log;
    this.#file = new JsonFile({
      file,
      parse: (value) => contentSchema.parse(value),
      onDamage: (details) =>
        log.error(
          'the faults cannot be understood and were set aside: heal them by a restart of their labs',
          details,
        ),
    });
  }

  /** @throws Error when the disk refuses. */
  async load(): Promise<void> {
    this.#records = (await this.#file.load())?.faults ?? [];
  }

  get records(): readonly FaultRecord[] {
    return this.#records;
  }

  /** The faults of one lab, oldest first. */
  of({ id, cli }: LabOfCli): readonly FaultRecord[] {
    return this.#records.filter(({ lab }) => lab.id === id && lab.cli === cli);
  }

  has(record: FaultRecord): boolean {
    return this.#records.includes(record);
  }

  /** Resolves when it is on disk. @throws AppError `storage-fault`; then it is not there. */
  async add(record: FaultRecord): Promise<void> {
    this.#records = [...this.#records, record];
    try {
      await this.#save();
    } catch (error) {
      this.#records = this.#records.filter((other) => other !== record);
      const message = 'the fault cannot be written down at the moment, so it is not set';
      throw new AppError('storage-fault', message, { cause: error, retryAfterSeconds: 10 });
    }
  }

  /** Puts `after` in the place of `before`. @throws AppError `storage-fault`; then nothing has changed. */
  async replace(before: FaultRecord, after: FaultRecord): Promise<FaultRecord> {
    const swap = (from: FaultRecord, to: FaultRecord): void => {
      this.#records = this.#records.map((other) => (other === from ? to : other));
    };
    swap(before, after);
    try {
      await this.#save();
      return after;
    } catch (error) {
      swap(after, before);
      throw new AppError('storage-fault', 'the fault cannot be written down at the moment', {
        cause: error,
        retryAfterSeconds: 10,
      });
    }
  }

  /** Never rejects: a fault that a later service finds on disk is healed once more. */
  async drop(record: FaultRecord): Promise<void> {
    this.#records = this.#records.filter((other) => other !== record);
    await this.#save().catch((error: unknown) => {
      this.#log.error('the faults cannot be written now', { cause: messageOf(error) });
    });
  }

  /** Repeats a write that has failed. */
  async saveRest(): Promise<void> {
    if (this.#file.isBehind) await this.#save().catch(() => undefined);
  }

  async #save(): Promise<void> {
    await this.#file.save(() => ({ faults: [...this.#records] }));
  }
}
