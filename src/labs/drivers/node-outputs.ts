import type { NodeOutput } from '../model/job-result.ts';
import type { OutputEnd, ReadOutput } from './lab-driver.ts';

const maxNodes = 1_000;
/** Of one node, and of all, in characters: more of it is in the log. */
const maxNodeLength = 8 * 1024;
const maxLength = 32 * 1024;

/** The bounded output of a command in each node, as far as the lab CLI reports it. */
export class NodeOutputs {
  readonly #nodes: { -readonly [Name in keyof NodeOutput]: NodeOutput[Name] }[] = [];
  #length = 0;
  #isCut = false;

  /** The node that everything is of until the next one begins; undefined when there is none, or it is one too many. */
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

  /** `isWhole`: whether the text is all that was printed there, as far as the caller knows. */
  add(text: string, isWhole = true): void {
    const node = this.#nodes.at(-1);
    if (node === undefined || this.#isCut) return;
    const room = Math.min(maxNodeLength - node.output.length, maxLength - this.#length);
    const added = text.slice(0, Math.max(0, room));
    node.output += added;
    node.truncated ||= !isWhole || added.length < text.length;
    this.#length += added.length;
  }

  /** `tidy` is given what is whole. */
  end({ exitCode }: OutputEnd, tidy = (output: string): string => output): ReadOutput {
    const nodes = this.#nodes.map((node): NodeOutput => ({
      ...node,
      output: node.truncated ? node.output : tidy(node.output),
    }));
    const isUnclear = nodes.length === 0 && exitCode === 0;
    const complete = exitCode !== null && !this.#isCut;
    return {
      result: nodes.length === 0 ? null : { kind: 'outputs', complete, nodes },
      warnings: isUnclear ? ['which node printed what is not understood: see the log'] : [],
    };
  }
}
