import { describe, expect, test } from '@jest/globals';
import type { JobResult, TestResult, TestsResult } from '../../../../src/labs/model/job-result.ts';
import { resultReader } from '../../../../src/labs/results/read-result.ts';
import { resultOf, sample, suite } from '../../../support/test-results.ts';

describe('what a record keeps', () => {
  const read = (result: JobResult | null) =>
    resultReader({ line: () => undefined, end: () => ({ result, warnings: ['w'] }) }, suite).end({
      exitCode: 0,
    });

  test('is all of a short result, and the file beside it', () => {
    const result = resultOf([sample()]);
    const found = read(result);
    expect(found).toMatchObject({ result, warnings: ['w'] });
    expect([...found.artifacts.keys()]).toEqual(['junit.xml']);
  });

  test.each([
    ['long messages', 30, 2_000],
    ['many tests', 2_000, 10],
    ['both', 2_000, 2_000],
  ])('of %s fits into 32 KiB, what failed first; the file has all', (_name, count, length) => {
    const tests = Array.from({ length: count }, (_, index) =>
      sample({
        name: `t${index}`,
        outcome: index % 100 === 0 ? 'failed' : 'passed',
        messages: ['x'.repeat(length)],
      }),
    );
    const result = resultOf(tests);
    const found = read(result);
    expect(Buffer.byteLength(JSON.stringify(found.result))).toBeLessThanOrEqual(32 * 1024);
    expect(found.result).toMatchObject({ truncated: true, passed: result.passed, failed: result.failed });
    const kept = (found.result as TestsResult).tests.filter(({ outcome }) => outcome === 'failed');
    expect(kept).toHaveLength(result.failed);
    expect(found.artifacts.get('junit.xml')?.match(/<testcase /g)).toHaveLength(count);
  });

  const long = ['x'.repeat(40_000)];
  const bad = sample({ name: 'bad', outcome: 'failed' });
  const soft = sample({ name: 'soft', outcome: 'warning' });
  const many = (count: number, changes: Partial<TestResult> = {}) =>
    Array.from({ length: count }, (_, index) => sample({ name: `t${index}`, ...changes }));
  const bare = (one: TestResult): TestResult => ({ ...one, messages: [], description: null, nodes: [] });
  const kept = (tests: TestResult[]): readonly TestResult[] => {
    const { result } = read(resultOf(tests));
    expect(result).toMatchObject({ kind: 'tests', truncated: true });
    return (result as TestsResult).tests;
  };

  test('loses first what tests said that passed', () => {
    const good = sample({ messages: long });
    expect(kept([good, bad, soft])).toEqual([sample({ messages: [] }), bad, soft]);
  });

  test('then what the others said, and what is known of those that passed', () => {
    const tests = [sample(), sample({ name: 'bad', outcome: 'failed', messages: long }), soft];
    const [first, ...others] = tests as [TestResult, ...TestResult[]];
    expect(kept(tests)).toEqual([bare(first), ...others.map((one) => ({ ...one, messages: [] }))]);
  });

  test('then those that passed, and what is known of the others', () => {
    expect(kept([...many(500), bad, soft])).toEqual([bad, soft]);
    const described = many(300, { outcome: 'warning', description: 'x'.repeat(100) });
    expect(kept([sample(), ...described, bad])).toEqual([...described, bad].map(bare));
  });

  test('then all but the first hundred that failed, and at last every test', () => {
    const failed = many(150, { outcome: 'failed' });
    expect(kept([...many(350, { outcome: 'warning' }), ...failed])).toEqual(failed.slice(0, 100).map(bare));
    expect(kept([sample({ name: long[0] ?? '', outcome: 'failed' })])).toEqual([]);
  });

  test('is all that has 32 KiB, to the byte', () => {
    const sizeOf = (result: JobResult): number => Buffer.byteLength(JSON.stringify(result));
    const padded = (length: number) => resultOf([sample({ messages: ['x'.repeat(length)] })]);
    const exact = padded(32 * 1024 - sizeOf(padded(0)));
    expect([sizeOf(exact), read(exact).result]).toEqual([32 * 1024, exact]);
  });

  test('is what a command printed, as it is; without tests there is no file', () => {
    const node = { node: 'r1', output: long[0] ?? '', truncated: false, exitCode: 0 };
    const outputs: JobResult = { kind: 'outputs', complete: true, nodes: [node] };
    const nothing = new Map();
    expect(read(outputs)).toEqual({ result: outputs, warnings: ['w'], artifacts: nothing });
    expect(read(null)).toEqual({ result: null, warnings: ['w'], artifacts: nothing });
  });
});
