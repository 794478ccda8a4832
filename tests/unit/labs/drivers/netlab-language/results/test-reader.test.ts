import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { testReader } from '../../../../../../src/labs/drivers/netlab-language/results/test-reader.ts';
import type { ReadOutput } from '../../../../../../src/labs/drivers/lab-driver.ts';
import type { TestsResult } from '../../../../../../src/labs/model/job-result.ts';

const fixtures = path.resolve('tests/fixtures/netlab/validate');
const recorded = (name: string): string => readFileSync(path.join(fixtures, `${name}.log`), 'utf8');

function read(log: string, exitCode: number | null, ...options: readonly string[]): ReadOutput {
  const reader = testReader({ command: ['netlab', 'validate', ...options] });
  for (const line of log.replace(/\n$/, '').split('\n')) reader.line(line);
  return reader.end({ exitCode });
}

function result(...given: Parameters<typeof read>): TestsResult {
  const { result: found } = read(...given);
  expect(found).toMatchObject({ kind: 'tests' });
  return found as TestsResult;
}

const outcomes = ({ tests }: TestsResult) =>
  Object.fromEntries(tests.map(({ name, outcome }) => [name, outcome]));

const passing = `[ping]    Starting test [ node(s): h1 ]
[PASS]    h1: Ping to h2 succeeded
[PASS]    Test succeeded in 0.4 seconds

[SUCCESS] Tests passed: 1
`;

describe('what netlab 26.10 printed', () => {
  test('tests that end in every way', () => {
    const found = result(recorded('failed'), 1);
    expect(found).toMatchObject({ complete: true, truncated: false, passed: 2, failed: 4, warnings: 1 });
    expect(outcomes(found)).toEqual({
      // The FRR of that machine was too old for what netlab asks of it.
      adj: 'failed',
      ping: 'passed',
      uptime: 'failed',
      neg: 'passed',
      pause: null,
      onlyfrr: 'failed',
      soft: 'warning',
      hard: 'failed',
    });
  });

  test('all passed', () => {
    expect(result(recorded('passed'), 0)).toMatchObject({
      complete: true,
      passed: 2,
      failed: 0,
      warnings: 0,
    });
  });

  test('the directory of an instance that was named is no test', () => {
    const named = `[CHANGED] Selected instance 9, current directory changed to /labs/nine\n\n${passing}`;
    expect(outcomes(result(named, 0))).toEqual({ ping: 'passed' });
  });

  test('a warning is one of the job, too', () => {
    const { result: found, warnings } = read(recorded('warning'), 3);
    expect(found).toMatchObject({ complete: true, passed: 1, failed: 0, warnings: 1 });
    expect(warnings).toEqual([expect.stringMatching(/^test soft: Node h1: Ping to 172\.16\.88\.88 failed$/)]);
  });

  test('errors only: how many passed was not printed', () => {
    const found = result(recorded('errors'), 1, '--error-only');
    expect(found).toMatchObject({ complete: true, passed: null, failed: 1, warnings: 1 });
    expect(outcomes(found)).toEqual({ hard: 'failed', soft: 'warning' });
  });

  test.each(['bad-name', 'bad-node', 'no-tests'])('nothing was run: %s', (name) => {
    expect(read(recorded(name), 1)).toEqual({ result: null, warnings: [] });
  });
});

describe('a test', () => {
  test('has its description, its nodes, what was said and how long it took', () => {
    const log = passing.replace(
      'Starting test [ node(s): h1 ]',
      'Pinging [H2]\nfrom H1\n [ node(s): h1,h3 ]',
    );
    expect(result(log, 0).tests).toEqual([
      {
        name: 'ping',
        description: 'Pinging [H2] from H1',
        nodes: ['h1', 'h3'],
        outcome: 'passed',
        reason: null,
        messages: ['h1: Ping to h2 succeeded'],
        seconds: 0.4,
      },
    ]);
    expect(result(passing, 0).tests[0]).toMatchObject({ description: null });
  });

  test('may be called like what stands in brackets', () => {
    const log = passing.replace('[ping]', '[FAIL]');
    expect(outcomes(result(log, 0))).toEqual({ FAIL: 'passed' });
  });

  test('that is skipped somewhere and passes elsewhere has passed; skipped everywhere, it is skipped', () => {
    const skipped = '[SKIPPED] Test action not defined for device none / node x';
    expect(outcomes(result(passing.replace('[PASS]', `${skipped}\n[PASS]`), 0))).toEqual({ ping: 'passed' });
    const log = `[a]       Starting test [ node(s): x ]\n${skipped}\n\n[SUCCESS] Tests passed: 0\n`;
    expect(outcomes(result(log, 0))).toEqual({ a: 'skipped' });
  });
});

describe('the end', () => {
  test('a mandatory test that fails ends the tests; what is behind it was not run', () => {
    const log = `[a]       Starting test [ node(s): h1 ]
[FAIL]    Node h1: no

[FAIL]    Mandatory test failed, validation stopped
`;
    expect(result(log, 1)).toMatchObject({
      complete: true,
      failed: 1,
      tests: [{ messages: ['Node h1: no'] }],
    });
  });

  test.each<[string, string, number | null]>([
    ['the log was cut', passing.replace(/\n\n.*\n$/, '\n'), null],
    ['netlab broke', `${passing.replace(/\n\n.*\n$/, '\n')}Traceback (most recent call last):\n`, 1],
    [
      'it was interrupted',
      `${passing.replace(/\n\n.*\n$/, '\n')}Fatal error in netlab: Validation test interrupted\n`,
      1,
    ],
    ['it ended with a code that is no verdict', passing, 2],
  ])('%s: what is there is told, and that it is not all', (_name, log, exitCode) => {
    expect(result(log, exitCode)).toMatchObject({ complete: false, tests: [{ name: 'ping' }] });
  });

  test('of the test that was under way, the result is unknown', () => {
    const log = `${passing.split('\n\n')[0]}\n\n[next]    Starting test [ node(s): h1,h2 ]\n[PASS]    h1: fine`;
    expect(outcomes(result(log, null))).toEqual({ ping: 'passed', next: null });
  });

  test('an exit code that the lines do not bear out is said', () => {
    expect(read(passing, 1).warnings).toEqual([
      expect.stringContaining('exit code 1 says that a test failed'),
    ]);
    expect(read(passing, 3).warnings).toEqual([expect.stringContaining('exit code 3 says that a test gave')]);
  });

  test.each(['\u2028', '\u2029', '\u0085'])(
    'a description may have a sign that ends a line elsewhere: %j',
    (sign) => {
      const odd = passing.replace('Starting test', `before${sign}behind`);
      expect(result(odd, 0)).toMatchObject({ complete: true, passed: 1, tests: [{ name: 'ping' }] });
    },
  );

  test('tests are not called complete when one is not named', () => {
    const cut = passing.replace('[ping]', ' ping ');
    const other = '\n[other]   Starting test [ node(s): h1 ]\n[PASS]    Fine\n\n[SUCCESS] Tests passed: 2\n';
    expect(result(`${cut}${other}`, 0)).toMatchObject({ complete: false, tests: [{ name: 'other' }] });
  });

  test('words that are not understood are no result', () => {
    const { result: found, warnings } = read('Everything is fine today', 0);
    expect(found).toBeNull();
    expect(warnings).toEqual([expect.stringContaining('not understood')]);
  });
});

test.each<[string, number, (index: number) => string]>([
  ['long names', 0, (index) => `[${'t'.repeat(10_000)}${index}] Starting test\n[PASS]    Fine\n`],
  [
    'long lists of nodes',
    0,
    (index) => `[t${index}] Test [ node(s): ${'spine-router-1,'.repeat(100)}h ]\n[PASS]    Fine\n`,
  ],
  [
    'long messages',
    5_000,
    (index) =>
      `[t${index}]    Starting test [ node(s): h1 ]\n[${index < 5_000 ? 'FAIL' : 'PASS'}]    ${'x'.repeat(10_000)}\n`,
  ],
])('ten thousand tests with %s are counted, and kept as far as there is room', (_what, failed, textOf) => {
  const reader = testReader({ command: ['netlab', 'validate'] });
  for (let index = 0; index < 10_000; index += 1)
    for (const line of textOf(index).split('\n')) reader.line(line);
  reader.line('[SUCCESS] Tests passed: 10000');
  const { result: found } = reader.end({ exitCode: failed === 0 ? 0 : 1 });
  expect(found).toMatchObject({ complete: true, truncated: true, passed: 10_000 - failed, failed });
  expect(JSON.stringify(found).length).toBeLessThan(1.5 * 1024 * 1024);
});
