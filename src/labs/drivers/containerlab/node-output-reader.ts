/**
 * Reads what `containerlab exec --format json` prints (0.79), line by line: a line may be cut, and what was printed may be
 * long. Its text form leaves out what a command that succeeded has printed to its standard error.
 */
import type { OutputEnd, OutputReader, ReadCommand, ReadOutput } from '../lab-driver.ts';
import { NodeOutputs } from '../node-outputs.ts';

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
  /** The prefix of container names before the name of the node. */
  readonly #prefix: string;
  /** The one node that it is for; undefined for all of them. */
  readonly #only: string | undefined;
  readonly #outputs = new NodeOutputs();
  #isInJson = false;

  constructor({ command }: ReadCommand) {
    this.#prefix = `clab-${command[command.indexOf('--name') + 1] ?? ''}-`;
    const label = 'clab-node-name=';
    this.#only = command.find((word) => word.startsWith(label))?.slice(label.length);
  }

  line(text: string): void {
    // The output of a node is inside a JSON string and never begins a line.
    const [, container, stopped] =
      /^ {2}"([^"]+)": \[$|^\d\d:\d\d:\d\d ERRO (\S+): failed to execute cmd: /.exec(text) ?? [];
    if (container !== undefined) this.#begin(container);
    // A node that does not run is left out of the document, and the exit code is 0 all the same.
    if (stopped !== undefined) this.#fail(stopped, text);
    if (stopped !== undefined) return;
    if (this.#only !== undefined && /^ {2}Filter did not match any containers\./.test(text)) {
      this.#begin(this.#only);
      this.#outputs.add(text.trim());
    }
    const [, code] = /^ {6}"return-code": (\d{1,3}),$/.exec(text) ?? [];
    if (code !== undefined) this.#outputs.setExitCode(Number(code));
    if (/^ {6}"std(?:out|err)": "/.test(text)) {
      const { text: printed, isWhole } = textIn(text);
      this.#outputs.add(printed, isWhole);
    } else this.#json(text);
  }

  /** Output that is JSON (even a number) is not quoted, and has lines of its own. */
  #json(text: string): void {
    const [, first, more] = /^ {6}(?:"stdout": (.*)|((?: {2}.*|[\]}]),?))$/.exec(text) ?? [];
    const line = first ?? (this.#isInJson ? more : undefined);
    if (line === undefined) return;
    this.#isInJson = first === undefined ? !/^[\]}]/.test(line) : /^[[{]$/.test(line);
    this.#outputs.add(`${this.#isInJson ? line : line.replace(/,$/, '')}\n`);
  }

  #begin(container: string): void {
    this.#outputs.begin(
      container.startsWith(this.#prefix) ? container.slice(this.#prefix.length) : container,
    );
  }

  #fail(container: string, line: string): void {
    this.#begin(container);
    this.#outputs.add(line.replace(/^.*?failed to execute cmd: (?:".*" with error )?/, ''));
  }

  end(end: OutputEnd): ReadOutput {
    return this.#outputs.end(end);
  }
}

export function nodeOutputReader(command: ReadCommand): OutputReader {
  const reader = new NodeOutputReader(command);
  return { line: (text) => reader.line(text), end: (end) => reader.end(end) };
}
