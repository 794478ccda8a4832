/** The identity of a host, in its data directory: its id, and whether it was drained. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import * as z from 'zod';
import { JsonFile } from '../lib/files/json-file.ts';
import type { Logger } from '../lib/logger.ts';

const schema = z.object({ id: z.uuid(), isDraining: z.boolean() });

export class HostFile {
  readonly #file: JsonFile<z.infer<typeof schema>>;
  #id = '';
  #isDraining = false;
  #isReturning = false;

  constructor(dataDir: string, log: Logger) {
    this.#file = new JsonFile({
      file: path.join(dataDir, 'host.json'),
      parse: (value) => schema.parse(value),
      onDamage: (details) =>
        log.error('the id of this host is lost: it joins the cluster as a new one', details),
    });
  }

  get id(): string {
    return this.#id;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Whether the host had its id before this start. */
  get isReturning(): boolean {
    return this.#isReturning;
  }

  /** @throws Error when the disk refuses. */
  async open(): Promise<void> {
    const kept = await this.#file.load();
    this.#id = kept?.id ?? randomUUID();
    this.#isDraining = kept?.isDraining ?? false;
    this.#isReturning = kept !== undefined;
    if (kept === undefined) await this.#save();
  }

  /** Durable when it resolves. @throws Error when the disk refuses. */
  async setDraining(isDraining: boolean): Promise<void> {
    this.#isDraining = isDraining;
    await this.#save();
  }

  async #save(): Promise<void> {
    await this.#file.save(() => ({ id: this.#id, isDraining: this.#isDraining }));
  }
}
