import type { LineCounter } from 'yaml';
import type { Finding } from '../core/model.ts';

/** Where something comes from: an offset in the topology file, or the text of a command line option. */
export type Origin = number | string;

/** More than a person reads; a file of another kind has an error in every line. */
export const findingsMax = 100;

function inOrder({ position: one }: Finding, { position: other }: Finding): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  return one.line - other.line || one.column - other.column;
}

/** Collects errors and warnings, so that a person sees all of them at once. */
export class Report {
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

  /** How many there are so far; tells whether a step went without one. */
  get errorCount(): number {
    return this.#errors.length;
  }

  /** Options first, then in the order of the file, at most 100 and one that counts the rest. */
  get errors(): readonly Finding[] {
    return this.#limited(this.#errors, 'errors');
  }

  /** Options first, then in the order of the file, at most 100 and one that counts the rest. */
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
