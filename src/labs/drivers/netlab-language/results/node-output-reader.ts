/**
 * Reads what `netlab exec --header` prints (netsim/cli/exec.py): for each node a headline between two rules, then what the
 * command printed, then an empty line. The engine adds how the command ended; netlab does not know.
 */
import type { OutputEnd, OutputReader, ReadCommand, ReadOutput } from '../../lab-driver.ts';
import { NodeOutputs } from '../../node-outputs.ts';

const rule = '='.repeat(80);
/** The words of the command as the headline has them (netsim/cli/connect.py, `quote_list`). */
function wordsOfHeadline(words: readonly string[]): string {
  return words.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ');
}

class NodeOutputReader {
  /** The lines of a headline behind the name of the node. */
  readonly #headline: readonly string[];
  readonly #outputs = new NodeOutputs();
  /** Lines that may become a headline. */
  #held: string[] = [];

  constructor({ command }: ReadCommand) {
    const words = command.slice(command.indexOf('--') + 2);
    this.#headline = `: executing ${wordsOfHeadline(words)}`.split('\n');
  }

  line(text: string): void {
    this.#held.push(text);
    const node = this.#nodeOf(this.#held);
    if (node === 'none') {
      // The first of them is no rule, or what follows it is no headline. One of the others may be the next rule.
      const [first = '', ...others] = this.#held;
      this.#held = [];
      this.#add(first);
      for (const line of others) this.line(line);
    } else if (node !== 'maybe') {
      this.#held = [];
      this.#outputs.begin(node.name);
    }
  }

  /** The node of a headline that these lines are; whether they may become one; or that they cannot. */
  #nodeOf(lines: readonly string[]): { readonly name: string } | 'maybe' | 'none' {
    const [first, headline, ...rest] = lines;
    if (first !== rule) return 'none';
    if (headline === undefined) return 'maybe';
    const [end = '', ...more] = this.#headline;
    const name = headline.endsWith(end) ? headline.slice(0, -end.length) : '';
    if (name === '' || /\s/.test(name)) return 'none';
    const wanted = [...more, rule];
    if (rest.some((line, index) => line !== wanted[index])) return 'none';
    return rest.length === wanted.length ? { name } : 'maybe';
  }

  #add(text: string): void {
    const [, name, code] = /^(\S+): exit code (\d{1,3})$/.exec(text) ?? [];
    if (name !== undefined && name === this.#outputs.node) this.#outputs.setExitCode(Number(code));
    else this.#outputs.add(`${text}\n`);
  }

  end(end: OutputEnd): ReadOutput {
    for (const line of this.#held) this.#add(line);
    // The empty line behind what the command printed is not the command's.
    return this.#outputs.end(end, (output) => output.replace(/\n$/, ''));
  }
}

export function nodeOutputReader(command: ReadCommand): OutputReader {
  const reader = new NodeOutputReader(command);
  return { line: (text) => reader.line(text), end: (end) => reader.end(end) };
}
