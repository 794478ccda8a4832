/** From the log of a scenario to the verdicts of its faults. */
import type { OutputReader } from '../labs/drivers/lab-driver.ts';
import type { TestResult } from '../labs/model/job-result.ts';
import { detailLine, endLine, errorLine, faultLine } from './model/report-words.ts';

/** A line for each flow, and one for each that lost probes after the heal. */
const maxMessages = 200;

function verdictIn([, word, name = '', seconds, outcome = '']: RegExpExecArray): TestResult {
  const isGood = word === 'PASS';
  return {
    name,
    description: null,
    nodes: [],
    outcome: isGood ? 'passed' : 'failed',
    reason: isGood ? null : outcome,
    messages: [],
    seconds: Number(seconds),
  };
}

/** Reads the lines that `faultLines` makes. */
export function scenarioOutput(): OutputReader {
  const tests: TestResult[] = [];
  let isWhole = false;
  const count = (outcome: TestResult['outcome']): number =>
    tests.filter((test) => test.outcome === outcome).length;
  return {
    line: (text) => {
      const verdict = faultLine.exec(text);
      const detail = detailLine.exec(text)?.[1];
      const last = tests.at(-1);
      if (verdict) tests.push(verdictIn(verdict));
      else if (detail !== undefined && last && last.messages.length < maxMessages)
        tests[tests.length - 1] = { ...last, messages: [...last.messages, detail] };
      else if (endLine.test(text)) isWhole = true;
    },
    end: () => ({
      result: {
        kind: 'tests',
        passed: count('passed'),
        failed: count('failed'),
        warnings: 0,
        complete: isWhole,
        truncated: false,
        tests,
      },
      warnings: [],
    }),
  };
}

/** The sentence of a scenario that did not succeed. */
export function scenarioError(
  { exitCode, signal }: { readonly exitCode: number | null; readonly signal: string | null },
  logEnd: string,
): string {
  const last = logEnd
    .split('\n')
    .map((line) => errorLine.exec(line)?.[1])
    .findLast((words) => words !== undefined);
  if (last !== undefined) return last;
  return signal === null
    ? `the scenario ended with exit code ${exitCode ?? 'unknown'}, and said no more`
    : `the scenario was ended by ${signal}`;
}
