/** Prints the output of `netlab validate`, so that users and programs can read both (netsim/cli/validate/report.py). */
import type { EngineContext } from '../core/engine-context.ts';
import type { LabTest } from '../core/lab.ts';

type Tag = 'PASS' | 'FAIL' | 'WARNING' | 'SKIPPED' | 'INFO' | 'WAITING' | 'SUCCESS';

interface Counts {
  passed: number;
  failed: number;
  warnings: number;
  skipped: number;
}

const tests = (count: number): string => (count === 1 ? 'one test' : `${count} tests`);
const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

type Output = Pick<EngineContext, 'out' | 'err'>;

export class Report {
  readonly #context: Output;
  readonly #isErrorOnly: boolean;
  readonly #width: number;
  /** The header of the running test until it is printed; with `--error-only`, it comes before the first error. */
  #header: { readonly name: string; readonly text: string } | undefined;
  #isFirst = true;
  /** Per node, not per test, as in netlab. */
  readonly counts: Counts = { passed: 0, failed: 0, warnings: 0, skipped: 0 };

  constructor(context: Output, options: { readonly isErrorOnly: boolean; readonly all: readonly LabTest[] }) {
    this.#context = context;
    this.#isErrorOnly = options.isErrorOnly;
    this.#width = Math.max(7, ...options.all.map(({ name }) => name.length)) + 3;
  }

  #line(word: string, text: string): string {
    // A carriage return in a description would hide the start of its line, which names the test.
    const seen = text.replaceAll(/[^\P{Cc}\n\t]/gu, '\ufffd');
    return `${`[${word}]`.padEnd(this.#width)}${seen}\n`;
  }

  begin({ name, description, nodes }: LabTest): void {
    const on = nodes.length === 0 ? '' : ` [ node(s): ${nodes.join(',')} ]`;
    const header = { name, text: `${description ?? 'Starting test'}${on}` };
    if (this.#isErrorOnly) this.#header = header;
    else this.#context.out(`${this.#isFirst ? '' : '\n'}${this.#line(header.name, header.text)}`);
    this.#isFirst = false;
  }

  /** Prints nothing with `--error-only`. */
  say(tag: Tag, text: string): void {
    if (!this.#isErrorOnly) this.#context.out(this.#line(tag, text));
  }

  pass(text: string): void {
    this.counts.passed += 1;
    this.say('PASS', text);
  }

  skip(text: string): void {
    this.counts.skipped += 1;
    this.say('SKIPPED', text);
  }

  fail({ isWarning, fail }: LabTest, node: string | null, why: string): void {
    this.counts[isWarning ? 'warnings' : 'failed'] += 1;
    this.complain(isWarning ? 'WARNING' : 'FAIL', `${node === null ? '' : `Node ${node}: `}${fail ?? why}`);
  }

  complain(tag: 'FAIL' | 'WARNING', text: string): void {
    const { out, err } = this.#context;
    const print = this.#isErrorOnly ? err : out;
    if (this.#header) print(`\n${this.#line(this.#header.name, this.#header.text)}`);
    this.#header = undefined;
    print(this.#line(tag, text));
  }

  /** The line at the end, after an empty line. */
  stop(text: string): void {
    this.#context.out('\n');
    this.complain('FAIL', text);
  }

  sum(): void {
    if (this.#isErrorOnly) return;
    const { passed, failed, warnings, skipped } = this.counts;
    const all = passed + failed + warnings;
    this.#context.out('\n');
    if (passed === all) this.say('SUCCESS', `Tests passed: ${passed}`);
    else if (failed > 0) this.say('FAIL', `${capitalized(tests(all))} completed, ${tests(failed)} failed`);
    else this.say('INFO', `${capitalized(tests(warnings))} out of ${tests(all)} generated a warning`);
    if (skipped > 0)
      this.say(
        'INFO',
        `${capitalized(tests(skipped))} out of ${tests(all)} were skipped, the results are not reliable`,
      );
  }

  /** The exit codes of netlab: 1 if a test failed, 3 if a test gave a warning. */
  get exitCode(): number {
    if (this.counts.failed > 0) return 1;
    return this.counts.warnings > 0 ? 3 : 0;
  }
}
