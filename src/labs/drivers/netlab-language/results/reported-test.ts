/** One test of `netlab validate`, as its lines come. */
import type { TestOutcome, TestResult } from '../../../model/job-result.ts';

/** The words in brackets before a line about a test (netsim/cli/validate/report.py). */
export const tags = ['PASS', 'FAIL', 'WARNING', 'SKIPPED', 'INFO', 'WAITING', 'MORE', 'SUCCESS'] as const;
export type Tag = (typeof tags)[number];

const maxMessages = 100;
const maxMessageLength = 2_000;
/** Behind the description stand its nodes: hundreds of names, in a large lab. No line of a log is longer (`readLines`). */
const maxHeaderLength = 16 * 1024;

const beforeNodes = '[ node(s): ';
const noDescription = 'Starting test';
const duration = /^Test succeeded in (\d+(?:\.\d+)?) seconds$/;

/** A line about a test, with the lines that go on with it. */
interface Message {
  text: string;
}

interface TestEnd {
  readonly mayFail: boolean;
  /** Nothing tells that it came to its end. */
  readonly isCut: boolean;
}

/** Whether a text ends with `[ node(s): h1,h2 ]`. By its end alone: a pattern would try each beginning of a hostile line. */
export function endsWithNodes(text: string): boolean {
  const at = text.lastIndexOf(beforeNodes);
  return at >= 0 && text.indexOf(']', at) === text.length - 1 && text.endsWith(' ]');
}

/** `TEXT [ node(s): h1,h2 ]`; of a list that was cut before its end, the names that are surely whole. */
function partsOf(header: string): { readonly description: string; readonly nodes: readonly string[] } {
  const at = header.lastIndexOf(beforeNodes);
  const names = header.slice(at + beforeNodes.length);
  const isWhole = endsWithNodes(header);
  if (at < 0 || (names.includes(']') && !isWhole)) return { description: header, nodes: [] };
  const nodes = isWhole ? names.slice(0, -' ]'.length).split(',') : names.split(',').slice(0, -1);
  return { description: header.slice(0, at), nodes: nodes.filter((node) => node !== '') };
}

export class ReportedTest {
  readonly #name: string;
  #header: string;
  readonly #messages: Message[] = [];
  /** The tags of its lines, each with its first message. */
  readonly #seen = new Map<Tag, Message>();
  #last: Tag | undefined;
  #seconds: number | null = null;
  /** Where a line that begins with no tag belongs to. */
  #open: 'header' | 'nothing' | Message = 'header';

  constructor(name: string, text: string) {
    this.#name = name;
    this.#header = text.slice(0, maxHeaderLength);
  }

  /** How much of memory its texts take, about. */
  get length(): number {
    const about = 200 + this.#name.length + this.#header.length;
    const kept = [...this.#messages, ...this.#seen.values()];
    return kept.reduce((sum, { text }) => sum + text.length, about);
  }

  say(tag: Tag, text: string): void {
    this.#open = 'nothing';
    if (tag === 'WAITING') return;
    const message = { text: text.slice(0, maxMessageLength) };
    if (tag !== 'INFO' && tag !== 'MORE') {
      if (!this.#seen.has(tag)) this.#seen.set(tag, message);
      this.#last = tag;
    }
    const [, seconds] = duration.exec(text) ?? [];
    if (seconds !== undefined) this.#seconds = Number(seconds);
    else if (this.#messages.length < maxMessages) {
      this.#open = message;
      this.#messages.push(message);
    }
  }

  /** A line without a tag goes on with the one before: descriptions and messages may have several. An empty one ends them. */
  goOn(line: string): void {
    if (line.trim() === '') this.#open = 'nothing';
    else if (this.#open === 'header') {
      if (this.#header.length < maxHeaderLength)
        this.#header = `${this.#header} ${line.trim()}`.slice(0, maxHeaderLength);
    } else if (this.#open !== 'nothing')
      this.#open.text = `${this.#open.text}\n${line}`.slice(0, maxMessageLength);
  }

  /** All lines about it. */
  result(end: TestEnd): TestResult {
    const parts = partsOf(this.#header);
    const description = parts.description.slice(0, maxMessageLength).trim();
    const outcome = this.outcome(end);
    return {
      name: this.#name,
      description: description === noDescription || description === '' ? null : description,
      nodes: [...parts.nodes],
      outcome,
      reason: this.#reasonOf(outcome),
      messages: this.#messages.map(({ text }) => text),
      seconds: this.#seconds,
    };
  }

  /** A test that failed may have passed in other nodes before: its first message may say so. */
  #reasonOf(outcome: TestOutcome | null): string | null {
    const tag = ({ failed: 'FAIL', warning: 'WARNING', skipped: 'SKIPPED', passed: null } as const)[
      outcome ?? 'passed'
    ];
    return (tag && this.#seen.get(tag)?.text) ?? null;
  }

  /**
   * The result. A test that is expected to fail prints its failures like any other test, and PASS at last; only the exit code
   * distinguishes the two (`mayFail`: the exit code reports a failed test).
   */
  outcome({ mayFail, isCut }: TestEnd): TestOutcome | null {
    const hasFailed = this.#seen.has('FAIL');
    if (hasFailed && mayFail) return 'failed';
    if (hasFailed) return this.#last === 'PASS' ? 'passed' : null;
    if (this.#seen.has('WARNING')) return 'warning';
    if (isCut) return null;
    if (this.#seen.has('PASS')) return 'passed';
    return this.#seen.has('SKIPPED') ? 'skipped' : null;
  }
}
