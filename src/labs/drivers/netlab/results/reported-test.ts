/** One test of `netlab validate`, as its lines come. */
import type { TestOutcome, TestResult } from '../../../job-result.ts';

/** What stands in brackets before a line about a test (netsim/cli/validate/report.py). */
export const tags = ['PASS', 'FAIL', 'WARNING', 'SKIPPED', 'INFO', 'WAITING', 'MORE', 'SUCCESS'] as const;
export type Tag = (typeof tags)[number];

const maxMessages = 100;
const maxMessageLength = 2_000;
/** Behind the description stand its nodes: hundreds of names, in a large lab. */
const maxHeaderLength = 64 * 1024;

const nodesSuffix = / ?\[ node\(s\): ([^\]]*) \]$/;
const noDescription = 'Starting test';
const duration = /^Test succeeded in (\d+(?:\.\d+)?) seconds$/;

export class ReportedTest {
  readonly #name: string;
  #header: string;
  readonly #messages: string[] = [];
  readonly #seen = new Set<Tag>();
  #last: Tag | undefined;
  #seconds: number | null = null;
  /** Where a line that begins with no tag belongs to. */
  #open: 'header' | 'message' | 'nothing' = 'header';

  constructor(name: string, text: string) {
    this.#name = name;
    this.#header = text.slice(0, maxHeaderLength);
  }

  /** How much of memory its texts take, about. */
  get length(): number {
    const about = 200 + this.#name.length + this.#header.length;
    return this.#messages.reduce((sum, message) => sum + message.length, about);
  }

  say(tag: Tag, text: string): void {
    this.#open = 'nothing';
    if (tag === 'WAITING') return;
    if (tag !== 'INFO' && tag !== 'MORE') {
      this.#seen.add(tag);
      this.#last = tag;
    }
    const [, seconds] = duration.exec(text) ?? [];
    if (seconds !== undefined) this.#seconds = Number(seconds);
    else if (this.#messages.length < maxMessages) {
      this.#open = 'message';
      this.#messages.push(text.slice(0, maxMessageLength));
    }
  }

  /** A line without a tag goes on with the one before: descriptions and messages may have several. An empty one ends them. */
  goOn(line: string): void {
    if (line.trim() === '') this.#open = 'nothing';
    else if (this.#open === 'header')
      this.#header = `${this.#header} ${line.trim()}`.slice(0, maxHeaderLength);
    else if (this.#open === 'message')
      this.#messages.push(`${this.#messages.pop() ?? ''}\n${line}`.slice(0, maxMessageLength));
  }

  /**
   * What came of it. A test that is expected to fail prints its failures like any other, and PASS at last; that it was one
   * tells the exit code (`mayFail`: it says that some test failed). `isCut`: nothing tells that it came to its end.
   */
  result({ mayFail, isCut }: { readonly mayFail: boolean; readonly isCut: boolean }): TestResult {
    const [, nodes = ''] = nodesSuffix.exec(this.#header) ?? [];
    const description = this.#header.replace(nodesSuffix, '').slice(0, maxMessageLength).trim();
    return {
      name: this.#name,
      description: description === noDescription || description === '' ? null : description,
      nodes: nodes.split(',').filter((node) => node !== ''),
      outcome: this.#outcome(mayFail, isCut),
      messages: this.#messages,
      seconds: this.#seconds,
    };
  }

  #outcome(mayFail: boolean, isCut: boolean): TestOutcome | null {
    const hasFailed = this.#seen.has('FAIL');
    if (hasFailed && mayFail) return 'failed';
    if (hasFailed) return this.#last === 'PASS' ? 'passed' : null;
    if (this.#seen.has('WARNING')) return 'warning';
    if (isCut) return null;
    if (this.#seen.has('PASS')) return 'passed';
    return this.#seen.has('SKIPPED') ? 'skipped' : null;
  }
}
