/** A document of our own in one file, replaced whole at each change. */
import { rename } from 'node:fs/promises';
import { messageOf } from '../app-error.ts';
import { Mutex } from '../async/mutex.ts';
import { readPlainFile } from './plain-file.ts';
import { writeDurably } from './write-durably.ts';

const fileMode = 0o600;

interface JsonFileOptions<T> {
  readonly file: string;
  /** @throws Error for what is not the document. */
  readonly parse: (value: unknown) => T;
  /** A file that cannot be understood was set aside, under this name. */
  readonly onDamage: (details: { readonly file: string; readonly cause: string }) => void;
}

export class JsonFile<T> {
  readonly #options: JsonFileOptions<T>;
  readonly #turn = new Mutex();
  #wanted = 0;
  #written = 0;

  constructor(options: JsonFileOptions<T>) {
    this.#options = options;
  }

  /** Whether the last change is not on disk yet. */
  get isBehind(): boolean {
    return this.#written < this.#wanted;
  }

  /** The value that an earlier service wrote; undefined when there is none, or it cannot be parsed. @throws Error when the disk refuses. */
  async load(): Promise<T | undefined> {
    const { file, parse, onDamage } = this.#options;
    const reading = await readPlainFile(file);
    if (reading.kind === 'absent') return undefined;
    if (reading.kind !== 'found')
      throw new Error(`cannot read ${file}: ${messageOf(reading.error)}`, { cause: reading.error });
    try {
      return parse(JSON.parse(reading.text));
    } catch (error) {
      const aside = `${file}.damaged-${Date.now()}`;
      await rename(file, aside);
      onDamage({ file: aside, cause: messageOf(error) });
      return undefined;
    }
  }

  /**
   * Writes what `content` gives when its turn comes; changes that come together go to the disk together.
   * @throws Error when the disk refuses.
   */
  async save(content: () => T): Promise<void> {
    const mine = (this.#wanted += 1);
    await this.#turn.run(async () => {
      if (this.#written >= mine) return;
      const covered = this.#wanted;
      await writeDurably(this.#options.file, `${JSON.stringify(content(), null, 2)}\n`, fileMode);
      this.#written = covered;
    });
  }
}
