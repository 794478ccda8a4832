import type { NodeOutput } from '../model/job-result.ts';
import type { OutputEnd, ReadOutput } from './lab-driver.ts';

const maxNodes = 1_000;
/** In characters, for one node and for all together; the log has the rest. */
const maxNodeLength = 8 * 1024;
const maxLength = 32 * 1024;

/** The output of a command in each node, up to a limit. */
export class NodeOutputs {
  readonly #nodes: { -readonly [Name in keyof NodeOutput]: NodeOutput[Name] }[] = [];
  #length = 0;
  #isCut = false;

  /** The node of all output until the next `begin`; undefined before the first one, and beyond the limit. */
  get node(): string | undefined {
    return this.#isCut ? undefined : this.#nodes.at(-1)?.node;
  }

  begin(node: string): void {
    this.#isCut = this.#nodes.length >= maxNodes;
    if (!this.#isCut) this.#nodes.push({ node, output: '', truncated: false, exitCode: null });
  }

  setExitCode(code: number): void {
    const node = this.#nodes.at(-1);
    if (node && !this.#isCut) node.exitCode = code;
  }

  /** `isWhole` is false when the caller knows that the text is cut. */
  add(text: string, isWhole = true): void {
    const node = this.#nodes.at(-1);
    if (node === undefined || this.#isCut) return;
    const room = Math.min(maxNodeLength - node.output.length, maxLength - this.#length);
    const added = text.slice(0, Math.max(0, room));
    node.output += added;
    node.truncated ||= !isWhole || added.length < text.length;
    this.#length += added.length;
  }

  /** `tidy` changes outputs that are whole. */
  end({ exitCode }: OutputEnd, tidy = (output: string): string => output): ReadOutput {
    const nodes = this.#nodes.map((node): NodeOutput => ({
      ...node,
      output: node.truncated ? node.output : tidy(node.output),
    }));
    const isUnclear = nodes.length === 0 && exitCode === 0;
    const complete = exitCode !== null && !this.#isCut;
    return {
      result: nodes.length === 0 ? null : { kind: 'outputs', complete, nodes },
      warnings: isUnclear ? ['the output cannot be assigned to nodes: see the log'] : [],
    };
  }
}
