import { statSync } from 'node:fs';
import type { LabCli } from '../drivers/lab-driver.ts';

function stampOf({ file }: LabCli): string {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${mtimeMs} ${size} ${ino} ${file}`;
  } catch {
    return file;
  }
}

/** The version of a lab CLI: asked for once, and again when its program is another one. */
export class CliVersion {
  readonly #ask: (cli: LabCli) => Promise<string | undefined>;
  #asked: { readonly stamp: string; readonly answer: Promise<string | undefined> } | undefined;
  #told: string | undefined;

  constructor(ask: (cli: LabCli) => Promise<string | undefined>) {
    this.#ask = ask;
  }

  /** Undefined when it does not say. */
  async of(cli: LabCli): Promise<string | undefined> {
    const stamp = stampOf(cli);
    if (this.#asked?.stamp !== stamp) {
      const answer = this.#ask(cli);
      this.#asked = { stamp, answer };
      this.#told = undefined;
      void answer.then((version) => {
        if (this.#asked?.answer === answer) this.#told = version;
      });
    }
    return this.#asked.answer;
  }

  /** The version if it is known already, without waiting. */
  toldBy(cli: LabCli): string | undefined {
    void this.of(cli);
    return this.#told;
  }
}
