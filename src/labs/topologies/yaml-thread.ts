import { pathToFileURL } from 'node:url';
import { deferred, type Deferred } from '../../lib/deferred.ts';
import { packageFile } from '../../lib/package-root.ts';
import { Thread } from '../../lib/thread.ts';
import type { ReadYaml } from './yaml-worker.ts';

interface Waiting extends Deferred<unknown> {
  readonly text: string;
}

/** A file has 1 MiB at most, and a batch as much in all. */
const batchCharacters = 1024 * 1024;
const longestMs = 10_000;
const mostMemoryMb = 512;
/** The built file, also for tests, which run the sources. */
const program = pathToFileURL(packageFile('dist', 'labs', 'topologies', 'yaml-worker.js'));

/** Reads YAML in a thread: what comes while it is at work goes to it together, because each message costs as much as a small file. */
export class YamlThread {
  readonly #thread: Thread<readonly string[], readonly ReadYaml[]>;
  readonly #waiting: Waiting[] = [];
  #isAtWork = false;

  constructor(shutdown: AbortSignal) {
    this.#thread = new Thread({ program, shutdown, timeoutMs: longestMs, memoryMb: mostMemoryMb });
  }

  /** The value of a text. @throws Error with the sentence of the parser, ThreadFailure for what takes too long or too much memory. */
  async parse(text: string): Promise<unknown> {
    const waiting: Waiting = { text, ...deferred<unknown>() };
    this.#waiting.push(waiting);
    if (!this.#isAtWork) void this.#work();
    return waiting.promise;
  }

  #nextBatch(): readonly Waiting[] {
    let characters = 0;
    const tooMany = this.#waiting.findIndex(({ text }, index) => {
      characters += text.length;
      return index > 0 && characters > batchCharacters;
    });
    return this.#waiting.splice(0, tooMany === -1 ? this.#waiting.length : tooMany);
  }

  async #work(): Promise<void> {
    this.#isAtWork = true;
    while (this.#waiting.length > 0) await this.#read(this.#nextBatch());
    this.#isAtWork = false;
  }

  /** One that cannot be read at all takes none of the others with it: they are read once more, each by itself. Never rejects. */
  async #read(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.#thread.ask(batch.map(({ text }) => text));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const answer = answers[index];
        if (answer && 'value' in answer) resolve(answer.value);
        else reject(new Error(answer?.problem ?? 'the thread has left it out'));
      }
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const waiting of batch) await this.#read([waiting]);
    }
  }
}
