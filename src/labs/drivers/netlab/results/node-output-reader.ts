/**
 * Reads what `netlab exec --header` prints (netsim/cli/exec.py): for each node a headline between two rules, then what the
 * command printed, then an empty line. The engine adds how the command ended; netlab does not know.
 */
import type { NodeOutput } from '../../../job-result.ts';
import type { OutputEnd, OutputReader, ReadCommand, ReadOutput } from '../../lab-driver.ts';

const rule = '='.repeat(80);
const maxNodes = 1_000;
/** Of one node, and of all: more of it is in the log. */
const maxNodeLength = 8 * 1024;
const maxLength = 32 * 1024;

/** The words of the command as the headline has them (netsim/cli/connect.py, `quote_list`). */
function wordsOfHeadline(words: readonly string[]): string {
  return words.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ');
}

interface Open {
  readonly node: string;
  output: string;
  truncated: boolean;
  exitCode: number | null;
}

class NodeOutputReader {
  /** The lines of a headline behind the name of the node. */
  readonly #headline: readonly string[];
  readonly #nodes: Open[] = [];
  /** Lines that may become a headline. */
  #held: string[] = [];
  #length = 0;
  #isCut = false;

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
      this.#begin(node.name);
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

  #begin(node: string): void {
    if (this.#nodes.length < maxNodes)
      this.#nodes.push({ node, output: '', truncated: false, exitCode: null });
    else this.#isCut = true;
  }

  #add(text: string): void {
    const node = this.#nodes.at(-1);
    if (node === undefined || this.#isCut) return;
    const [, name, code] = /^(\S+): exit code (\d{1,3})$/.exec(text) ?? [];
    if (name === node.node) {
      node.exitCode = Number(code);
      return;
    }
    const room = Math.min(maxNodeLength - node.output.length, maxLength - this.#length);
    const added = `${text}\n`.slice(0, Math.max(0, room));
    node.output += added;
    node.truncated ||= added.length <= text.length;
    this.#length += added.length;
  }

  end({ exitCode }: OutputEnd): ReadOutput {
    for (const line of this.#held) this.#add(line);
    // The empty line behind what the command printed is not the command's.
    const nodes = this.#nodes.map((node): NodeOutput => ({
      ...node,
      output: node.truncated ? node.output : node.output.replace(/\n$/, ''),
    }));
    const complete = exitCode !== null && !this.#isCut;
    const isUnclear = nodes.length === 0 && exitCode === 0;
    return {
      result: nodes.length === 0 ? null : { kind: 'outputs', complete, nodes },
      warnings: isUnclear ? ['which node printed what is not understood: see the log'] : [],
    };
  }
}

export function nodeOutputReader(command: ReadCommand): OutputReader {
  const reader = new NodeOutputReader(command);
  return { line: (text) => reader.line(text), end: (end) => reader.end(end) };
}
