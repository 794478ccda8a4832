/**
 * Reads what `containerlab exec --format json` prints (0.79), line by line: a line may be cut, and what was printed may be
 * long. Its text form leaves out what a command that succeeded has printed to its standard error.
 */
import type { NodeOutput } from '../../job-result.ts';
import type { OutputEnd, OutputReader, ReadCommand, ReadOutput } from '../lab-driver.ts';

const maxNodes = 1_000;
/** Of one node, and of all: more of it is in the log. */
const maxNodeLength = 8 * 1024;
const maxLength = 32 * 1024;

type Open = { -readonly [Name in keyof NodeOutput]: NodeOutput[Name] };

/** The text that a line of JSON gives a field; of a line that was cut, as far as it goes. */
function textIn(line: string): { readonly text: string; readonly isWhole: boolean } {
  const quoted = line.replace(/^\s*"\w+": "/, '').replace(/,$/, '');
  const isWhole = quoted.endsWith('"');
  const inner = isWhole ? quoted.slice(0, -1) : quoted.replace(/\\(?:u[\da-f]{0,3})?$/i, '');
  try {
    return { text: JSON.parse(`"${inner}"`) as string, isWhole };
  } catch {
    return { text: '', isWhole: false };
  }
}

class NodeOutputReader {
  /** What stands before the name of a node in that of its container. */
  readonly #prefix: string;
  readonly #nodes: Open[] = [];
  #length = 0;
  #isCut = false;
  #isInJson = false;

  constructor({ command }: ReadCommand) {
    this.#prefix = `clab-${command[command.indexOf('--name') + 1] ?? ''}-`;
  }

  line(text: string): void {
    // What a node has printed is inside of a JSON string, and begins no line.
    const [, container, stopped] =
      /^ {2}"([^"]+)": \[$|^\d\d:\d\d:\d\d ERRO (\S+): failed to execute cmd: /.exec(text) ?? [];
    if (container !== undefined) this.#begin(container);
    // A node that does not run is left out of the document, and the exit code is 0 all the same.
    if (stopped !== undefined) this.#fail(stopped, text);
    if (stopped !== undefined) return;
    const node = this.#nodes.at(-1);
    if (node === undefined || this.#isCut) return;
    const [, code] = /^ {6}"return-code": (\d{1,3}),$/.exec(text) ?? [];
    if (code !== undefined) node.exitCode = Number(code);
    if (/^ {6}"std(?:out|err)": "/.test(text)) this.#add(node, textIn(text));
    else this.#json(node, text);
  }

  /** What a command prints that is JSON (a number, too) stands there as such, in lines of its own. */
  #json(node: Open, text: string): void {
    const [, first, more] = /^ {6}(?:"stdout": (.*)|((?: {2}.*|[\]}]),?))$/.exec(text) ?? [];
    const line = first ?? (this.#isInJson ? more : undefined);
    if (line === undefined) return;
    this.#isInJson = first === undefined ? !/^[\]}]/.test(line) : /^[[{]$/.test(line);
    this.#add(node, { text: `${this.#isInJson ? line : line.replace(/,$/, '')}\n`, isWhole: true });
  }

  #begin(container: string): void {
    if (this.#nodes.length >= maxNodes) {
      this.#isCut = true;
      return;
    }
    const node = container.startsWith(this.#prefix) ? container.slice(this.#prefix.length) : container;
    this.#nodes.push({ node, output: '', truncated: false, exitCode: null });
  }

  #fail(container: string, line: string): void {
    this.#begin(container);
    const node = this.#nodes.at(-1);
    const text = line.replace(/^.*?failed to execute cmd: (?:".*" with error )?/, '');
    if (node !== undefined && !this.#isCut) this.#add(node, { text, isWhole: true });
  }

  #add(node: Open, { text, isWhole }: ReturnType<typeof textIn>): void {
    const room = Math.min(maxNodeLength - node.output.length, maxLength - this.#length);
    const added = text.slice(0, Math.max(0, room));
    node.output += added;
    node.truncated ||= !isWhole || added.length < text.length;
    this.#length += added.length;
  }

  end({ exitCode }: OutputEnd): ReadOutput {
    const nodes = this.#nodes;
    const isUnclear = nodes.length === 0 && exitCode === 0;
    const complete = exitCode !== null && !this.#isCut;
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
