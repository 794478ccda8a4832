/** What is wrong with a topology, or worth a warning: collected, so that a person sees all of it at once. */
import type { LineCounter } from 'yaml';

/** Something about the topology that a person should know. */
export interface Finding {
  /** In the file, both from 1; null for what an option of the command line says, which `message` names. */
  readonly position: { readonly line: number; readonly column: number } | null;
  readonly message: string;
}

/** Where something comes from: an offset in the topology file, or the text of a command line option. */
export type Origin = number | string;

/** More than a person reads; a file that is no topology at all has an error in every line. */
export const findingsMax = 100;

function inOrder({ position: one }: Finding, { position: other }: Finding): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  return one.line - other.line || one.column - other.column;
}

/** The errors and warnings of one topology. */
export class Findings {
  readonly #lines: LineCounter;
  readonly #errors: Finding[] = [];
  readonly #warnings: Finding[] = [];

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  #finding(origin: Origin, message: string): Finding {
    if (typeof origin === 'string') return { position: null, message: `${origin}: ${message}` };
    const { line, col } = this.#lines.linePos(origin);
    return { position: { line: Math.max(line, 1), column: Math.max(col, 1) }, message };
  }

  error(origin: Origin, message: string): void {
    this.#errors.push(this.#finding(origin, message));
  }

  warn(origin: Origin, message: string): void {
    this.#warnings.push(this.#finding(origin, message));
  }

  get hasErrors(): boolean {
    return this.#errors.length > 0;
  }

  /** How many errors there are so far: whoever reads a part of the topology sees by it whether that part had one. */
  get errorCount(): number {
    return this.#errors.length;
  }

  /** Those of the options first, then those of the file in its order: at most 100, and one that counts the rest. */
  get errors(): readonly Finding[] {
    return this.#limited(this.#errors, 'errors');
  }

  /** In the same order, and as many at most, as `errors`. */
  get warnings(): readonly Finding[] {
    return this.#limited(this.#warnings, 'warnings');
  }

  #limited(findings: readonly Finding[], what: string): readonly Finding[] {
    const sorted = findings.toSorted(inOrder);
    const last = sorted[findingsMax - 1];
    if (sorted.length <= findingsMax || last === undefined) return sorted;
    const message = `… and ${sorted.length - findingsMax} more ${what}`;
    return [...sorted.slice(0, findingsMax), { ...last, message }];
  }
}
