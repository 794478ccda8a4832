/** Collects the errors and warnings of a topology, so that the user gets all of them at once. */
import type { LineCounter } from 'yaml';
import { counted } from '../core/wording.ts';

/** An error or a warning for the user. */
export interface Finding {
  /** Line and column in the file, from 1; null for an option of the command line, which `message` names. */
  readonly position: { readonly line: number; readonly column: number } | null;
  readonly message: string;
}

/** The origin of a value: an offset in the topology file, or the text of a command line option. */
export type Origin = number | string;

/** More than a user reads: a file that is not a topology has an error in every line. */
const findingsMax = 100;

/** Lines about errors in one sentence that begins with the first of them. */
export function summaryOf([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first;
  const isCut = others.length >= findingsMax;
  return `${first}; and ${isCut ? `over ${findingsMax - 1} more errors` : counted(others.length, 'more error')}`;
}

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

  /** The number of errors so far: a reader of one part compares it to detect errors in that part. */
  get errorCount(): number {
    return this.#errors.length;
  }

  /**
   * The errors of options first, then the errors of the file in its order: at most 100, and one that counts the rest.
   */
  get errors(): readonly Finding[] {
    return this.#limited(this.#errors, 'errors');
  }

  /** In the same order and with the same limit as `errors`. */
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
