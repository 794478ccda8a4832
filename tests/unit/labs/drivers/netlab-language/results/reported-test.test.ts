/** What is told of a single test of `netlab validate`, from the lines that netlab prints about it. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readLines } from '../../../../../../src/jobs/log/log-file.ts';
import { testReader } from '../../../../../../src/labs/drivers/netlab-language/results/test-reader.ts';
import type { TestResult } from '../../../../../../src/labs/model/job-result.ts';
import { temporaryDirectory } from '../../../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const recorded = (name: string): readonly string[] =>
  readFileSync(path.resolve('tests/fixtures/netlab/validate', name), 'utf8').trimEnd().split('\n');

function testsIn(lines: readonly string[], exitCode: number | null): readonly TestResult[] {
  const reader = testReader({ command: ['netlab', 'validate'] });
  for (const line of lines) reader.line(line);
  const { result } = reader.end({ exitCode });
  if (result?.kind !== 'tests') throw new Error('these are no tests');
  return result.tests;
}

/** The one test that these lines are about, when no test failed. */
function only(...lines: readonly string[]): TestResult | undefined {
  const [found, ...others] = testsIn([...lines, '', '[SUCCESS] Tests passed: 1'], 0);
  expect(others).toEqual([]);
  return found;
}

const header = '[ping]    Starting test [ node(s): h1 ]';
const passed = '[PASS]    Test succeeded in 0.4 seconds';
const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `spine-router-${index}`);

test('as netlab 26.10 printed it', () => {
  const tests = testsIn(recorded('failed.log'), 1);
  const told = (name: string) => tests.find((one) => one.name === name);
  expect(told('neg')).toEqual({
    name: 'neg',
    description: 'Nobody is there, and that is right',
    nodes: ['h1'],
    outcome: 'passed',
    reason: null,
    messages: ['h1: Ping to 172.16.77.77 failed as expected'],
    seconds: 1.5,
  });
  expect(told('ping')).toMatchObject({ seconds: 8.7, messages: { length: 3 } });
  // How long is left to wait is out of date in a record.
  expect(told('pause')).toEqual({
    name: 'pause',
    description: 'A moment of rest',
    nodes: [],
    outcome: null,
    reason: null,
    messages: [],
    seconds: null,
  });
  const failure = 'Failed to execute show command "ip ospf vrf default neighbor 10.0.0.2 detail json"';
  expect(told('onlyfrr')?.messages).toEqual([
    `${failure} on r1 (device frr)
MissingDependency in validate: Validation plugin for device linux has no action for test 'ospf_neighbor'`,
    'Test action not defined for device linux / node h1',
  ]);
});

test.each<[string, string | null, string[]]>([
  ['Starting test [ node(s): h1 ]', null, ['h1']],
  ['   [ node(s): h1 ]', null, ['h1']],
  ['Sees  its neighbor   [ node(s): h1,h2 ]', 'Sees  its neighbor', ['h1', 'h2']],
  ['A [ node(s): in ] the middle', 'A [ node(s): in ] the middle', []],
  ['A [ node(s): first ] [ node(s): h1 ]', 'A [ node(s): first ]', ['h1']],
  ['A [ node(s): h1 ] ', 'A [ node(s): h1 ]', []],
  ['A [ node(s):  ]', 'A', []],
])('%j has a description and nodes', (text, description, nodes) => {
  expect(only(`[ping]    ${text}`, passed)).toMatchObject({ description, nodes });
});

test('a description of any length is cut, and the nodes behind it are not', () => {
  const long = `${'d'.repeat(3_000)} [ node(s): h1,h2 ]`;
  const cut = { description: 'd'.repeat(2_000), nodes: ['h1', 'h2'] };
  expect(only(`[ping]    ${long}`, passed)).toMatchObject(cut);
  expect(only('[ping]    d', ...long.match(/.{1,1000}/g)!, passed)?.nodes).toEqual(['h1', 'h2']);
});

test('of the nodes of a very large one, those are told that a line of a log has room for', async () => {
  const file = path.join(directory, 'log');
  writeFileSync(file, `[ping]    Starting test [ node(s): ${names(1_100).join(',')} ]\n${passed}\n`);
  const lines: string[] = [];
  await readLines(file, statSync(file).size, (line) => void lines.push(line));
  const found = only(...lines);
  expect(found).toMatchObject({ description: null, outcome: 'passed' });
  expect(found?.nodes.length).toBeGreaterThan(900);
  expect(found?.nodes).toEqual(names(1_100).slice(0, found?.nodes.length));
});

test('a header of any kind is read once, from its end', () => {
  // A pattern would look at each of these beginnings for its end.
  const many = '[ node(s): '.repeat(1_400);
  expect(only(`[ping]    ${many}]`, passed)?.nodes).toEqual([]);
});

describe('the messages', () => {
  test('end at an empty line: what comes behind it is of something else', () => {
    expect(only(header, '[FAIL]    no', ' ', 'something else', '[PASS]    yes')?.messages).toEqual([
      'no',
      'yes',
    ]);
    expect(only(header, '', 'something else', passed)).toMatchObject({ description: null, messages: [] });
  });

  test('go on with what is said of them, and not with how long it took or is left to wait', () => {
    const lines = ['[FAIL]    no', '[MORE]    because', '  of', passed, 'after', '[WAITING] 3 left', 'now'];
    expect(only(header, ...lines, '[PASS]    yes')).toMatchObject({
      messages: ['no', 'because\n  of', 'yes'],
      seconds: 0.4,
    });
  });

  test('of any length are cut, with the lines that belong to them; the first hundred are kept', () => {
    const lines = Array.from({ length: 5 }, () => 'm'.repeat(900));
    const more = Array.from({ length: 150 }, (_, index) => [`[PASS]    ${index} is fine`, `as ${index}`]);
    const long = [`[FAIL]    ${'f'.repeat(3_000)}`, '[FAIL]    of', ...lines];
    const messages = only(header, ...long, ...more.flat(), passed)?.messages ?? [];
    expect(messages.slice(0, 2).map(({ length }) => length)).toEqual([2_000, 2_000]);
    expect(messages).toHaveLength(100);
    expect(messages.at(-1)).toBe('97 is fine\nas 97');
  });
});

describe('the reason', () => {
  test.each<[string, readonly string[], number, string | null]>([
    [
      'failed after it passed in a node',
      ['[PASS]    h1: fine', '[FAIL]    h2: no', '[FAIL]    h3: no'],
      1,
      'h2: no',
    ],
    [
      'failed with more to say',
      ['[INFO]    look', '[FAIL]    no', 'because', '[MORE]    data'],
      1,
      'no\nbecause',
    ],
    ['gave a warning', ['[PASS]    fine', '[WARNING] but'], 3, 'but'],
    ['was skipped', ['[INFO]    look', '[SKIPPED] not here'], 0, 'not here'],
    ['was expected to fail', ['[FAIL]    no', '[PASS]    as expected'], 0, null],
    ['passed', ['[PASS]    fine'], 0, null],
    [
      'has failed behind a hundred messages',
      [...Array.from({ length: 120 }, () => '[PASS]    fine'), '[FAIL]    no'],
      1,
      'no',
    ],
  ])('of one that %s is the first message that says so', (_what, lines, exitCode, reason) => {
    expect(
      testsIn([header, ...lines, '', '[FAIL]    one test completed, one test failed'], exitCode),
    ).toMatchObject([{ reason }]);
  });
});

describe('the outcome', () => {
  test.each<[string, readonly string[], string | null]>([
    ['says more after it has passed', ['[FAIL]    no', '[PASS]    fine', '[MORE]    data'], 'passed'],
    ['gives a hint after it has passed', ['[FAIL]    no', '[PASS]    fine', '[INFO]    look'], 'passed'],
    ['waits after it has passed', ['[FAIL]    no', '[PASS]    fine', '[WAITING] 3 left'], 'passed'],
    ['fails on the last node', ['[PASS]    fine', '[FAIL]    no'], null],
    ['warns after it has passed', ['[PASS]    fine', '[WARNING] but'], 'warning'],
    ['fails, and then warns', ['[FAIL]    no', '[WARNING] but'], null],
    ['says nothing', [], null],
    ['gives hints alone', ['[INFO]    look', '[MORE]    data'], null],
  ])('of one that %s, where no test failed', (_what, lines, outcome) => {
    expect(only(header, ...lines)).toMatchObject({ outcome });
  });

  test.each<[string, readonly string[], string | null]>([
    ['passed', ['[PASS]    fine'], null],
    ['was skipped', ['[SKIPPED] not here'], null],
    ['gave a warning', ['[WARNING] but'], 'warning'],
    ['failed', ['[FAIL]    no'], 'failed'],
  ])('of the last one, that %s so far when the log ends, is %s', (_what, lines, outcome) => {
    expect(testsIn([header, ...lines], null)).toMatchObject([{ outcome }]);
  });
});
