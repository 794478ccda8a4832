import type { TestResult, TestsResult } from '../../src/labs/model/job-result.ts';

export const sample = (changes: Partial<TestResult> = {}): TestResult => ({
  name: 'ping',
  description: 'H1 reaches <H2>',
  nodes: ['h1', 'r1'],
  outcome: 'passed',
  reason: null,
  messages: ['h1: Ping to h2 succeeded'],
  seconds: 0.5,
  ...changes,
});

export function resultOf(tests: TestResult[], changes: Partial<TestsResult> = {}): TestsResult {
  const failed = tests.filter(({ outcome }) => outcome === 'failed').length;
  const counts = { passed: tests.length - failed, failed, warnings: 0 };
  return { kind: 'tests', ...counts, complete: true, truncated: false, tests, ...changes };
}

export const suite = { name: 'validate 7', startedAt: '2026-01-02T03:04:05.678Z' };
