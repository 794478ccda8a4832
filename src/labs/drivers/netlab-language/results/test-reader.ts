/**
 * Reads what `netlab validate` prints (netsim/cli/validate, 26.10): for each test `[name]  description [ node(s): a,b ]`, below
 * it lines such as `[PASS]    …`, and a sum at the end, which is recognized by its words.
 */
import type { TestOutcome, TestResult, TestsResult } from '../../../model/job-result.ts';
import type { OutputEnd, OutputReader, ReadCommand, ReadOutput } from '../../lab-driver.ts';
import { endsWithNodes, ReportedTest, tags, type Tag } from './reported-test.ts';

/** The limit for all tests and their messages; tests beyond it are only counted. */
const maxLength = 1024 * 1024;
const maxNamedWarnings = 20;

/** `s`: a description may have signs that end a line elsewhere (U+2028). */
const tagged = /^\[([^[\]\s]+)\] +(\S.*)$/s;
const someTests = '(?:[Oo]ne test|\\d+ tests)';
/** netlab's last words. */
const sums = new RegExp(
  `^(?:Tests passed: \\d+|${someTests} completed, ${someTests} failed|${someTests} out of ${someTests} (?:generated a warning|were skipped, .*))$`,
);
/** Its last words when it does not run the tests that are left. The second are those of a test that fails by it. */
const stops = {
  mandatory: 'Mandatory test failed, validation stopped',
  earlier: 'Validation failed due to previous errors',
} as const;
/** Of an instance that is named, netlab says first where it is (netsim/cli/__init__.py); that is no test. */
const preface = /^\[CHANGED\] Selected instance /;
/** It gave up: what it would have said is not known. */
const broken = /^(?:Fatal error in |Traceback \(most recent call last\))/;

const isTag = (word: string): word is Tag => (tags as readonly string[]).includes(word);

class TestReader {
  readonly #printsAll: boolean;
  readonly #kept: ReportedTest[] = [];
  #current: ReportedTest | undefined;
  #length = 0;
  /** Outcomes of the tests for which there was no room, and how often. */
  readonly #uncounted = new Map<TestOutcome | null, number>();
  #isSummedUp = false;
  #isBroken = false;
  #isUnnamed = false;
  #isAfterBlank = true;

  constructor({ command }: ReadCommand) {
    this.#printsAll = !command.includes('--error-only');
  }

  line(text: string): void {
    if (this.#current === undefined && preface.test(text)) return;
    const [, word, rest = ''] = tagged.exec(text) ?? [];
    if (word === undefined) this.#plain(text);
    else if (isTag(word) && !this.#isNamedLikeTag(rest)) this.#tagged(word, rest);
    else {
      this.#close();
      this.#current = new ReportedTest(word, rest);
    }
    this.#isAfterBlank = text.trim() === '';
  }

  /** A test may be called PASS. Its line is the first, or stands behind an empty one, and names nodes. */
  #isNamedLikeTag(rest: string): boolean {
    return this.#isAfterBlank && endsWithNodes(rest);
  }

  #plain(text: string): void {
    if (broken.test(text)) this.#isBroken = true;
    this.#current?.goOn(text);
  }

  #tagged(tag: Tag, text: string): void {
    const isSum = sums.test(text) || text === stops.mandatory;
    if (isSum || text === stops.earlier) this.#isSummedUp = true;
    if (isSum) return;
    if (this.#current) this.#current.say(tag, text);
    // The verdict of a test whose first line was not understood.
    else if (tag === 'PASS' || (tag === 'FAIL' && text !== stops.earlier)) this.#isUnnamed = true;
  }

  #close(): void {
    if (this.#current === undefined) return;
    this.#length += this.#current.length;
    if (this.#length <= maxLength) this.#kept.push(this.#current);
    else {
      const outcome = this.#current.outcome({ mayFail: true, isCut: false });
      this.#uncounted.set(outcome, (this.#uncounted.get(outcome) ?? 0) + 1);
    }
    this.#current = undefined;
  }

  end({ exitCode }: OutputEnd): ReadOutput {
    // Exit codes of netlab: 0 all passed, 1 some failed, 3 some gave a warning (netsim/cli/validate/__init__.py).
    const isVerdict = exitCode !== null && [0, 1, 3].includes(exitCode);
    const complete =
      isVerdict && !this.#isBroken && !this.#isUnnamed && (this.#isSummedUp || !this.#printsAll);
    const last = this.#current;
    this.#close();
    if (this.#kept.length === 0 && !complete) return notUnderstood(exitCode);
    // 0 and 3 say that no test failed: what did was expected to.
    const mayFail = exitCode !== 0 && exitCode !== 3;
    const tests = this.#kept.map((test) => test.result({ mayFail, isCut: !complete && test === last }));
    const result = this.#result(tests, { complete, mayFail });
    return { result, warnings: [...contradictions(result, exitCode), ...namedWarnings(result)] };
  }

  #result(
    tests: readonly TestResult[],
    { complete, mayFail }: { complete: boolean; mayFail: boolean },
  ): TestsResult {
    const more = (outcome: TestOutcome): number => this.#uncounted.get(outcome) ?? 0;
    const count = (outcome: TestOutcome): number =>
      tests.filter((test) => test.outcome === outcome).length + more(outcome);
    // A test that was expected to fail has passed.
    const expected = mayFail ? 0 : more('failed');
    return {
      kind: 'tests',
      passed: this.#printsAll ? count('passed') + expected : null,
      failed: count('failed') - expected,
      warnings: count('warning'),
      complete,
      truncated: this.#uncounted.size > 0,
      tests: [...tests],
    };
  }
}

function notUnderstood(exitCode: number | null): ReadOutput {
  // Of what failed, the error tells why.
  const warnings =
    exitCode === 0 ? ['what the lab CLI printed about its tests is not understood: see the log'] : [];
  return { result: null, warnings };
}

/** Where the exit code says something else than the lines, neither is to be believed without a look. */
function contradictions(
  { complete, failed, warnings }: TestsResult,
  exitCode: number | null,
): readonly string[] {
  const isOdd = (exitCode === 1 && failed === 0) || (exitCode === 3 && warnings === 0);
  if (!complete || !isOdd) return [];
  const what = exitCode === 1 ? 'a test failed' : 'a test gave a warning';
  return [`exit code ${exitCode} says that ${what}, and what was printed names none: see the log`];
}

function namedWarnings({ tests }: TestsResult): readonly string[] {
  const found = tests.filter(({ outcome }) => outcome === 'warning');
  const named = found
    .slice(0, maxNamedWarnings)
    .map(({ name, reason }) => `test ${name}: ${(reason ?? 'it gave a warning').slice(0, 200)}`);
  const rest = found.length - named.length;
  return rest > 0 ? [...named, `${rest} more tests gave a warning`] : named;
}

export function testReader(command: ReadCommand): OutputReader {
  const reader = new TestReader(command);
  return { line: (text) => reader.line(text), end: (end) => reader.end(end) };
}
