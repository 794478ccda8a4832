import { describe, expect, test } from '@jest/globals';
import {
  inspectFailure,
  listFailure,
  ranToItsEnd,
  statusFailure,
  unknownInstance,
} from '../../../../src/labs/drivers/status-failure.ts';
import type { RunResult } from '../../../../src/labs/system/run.ts';

const fine: RunResult = {
  exitCode: 0,
  signal: null,
  ended: null,
  spawnError: null,
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
};
const failure = (changes: Partial<RunResult>, lab?: Record<string, unknown>) =>
  statusFailure({ ...fine, ...changes }, lab);
const ten = Array.from({ length: 12 }, (_, index) => `line ${index}`);

describe('how it went wrong', () => {
  test.each<[Partial<RunResult>, RegExp]>([
    [{ spawnError: 'EACCES', exitCode: null }, /could not be started: EACCES$/],
    [{ ended: 'too-much-output', signal: 'SIGKILL' }, /far too much/],
    [{ signal: 'SIGSEGV', exitCode: null }, /SIGSEGV$/],
    [{ exitCode: 3 }, /exit code 3$/],
    [{}, /not a status document$/],
  ])('%j', (changes, words) => {
    const error = failure(changes);
    expect(error.code).toBe('lab-cli-failed');
    expect(error.message).toMatch(words);
    expect(error.extra).toEqual({ output: [] });
  });

  test('the time was up', () => {
    const error = failure({ ended: 'timeout', stderr: Buffer.from('x') });
    expect(error).toMatchObject({ code: 'lab-cli-timeout', extra: {} });
    expect(error.message).toContain('LAB_API_STATUS_TIMEOUT');
    expect(error.extra).not.toHaveProperty('lab');
  });

  test('we are going ourselves', () => expect(failure({ ended: 'aborted' }).code).toBe('shutting-down'));
});

describe('what it printed last', () => {
  test('is told: ten lines, without colours and blank ones', () => {
    const stderr = Buffer.from(`${ten.join('\r\n')}\n \n\u001b[31mred\u001b[0m\n\n`);
    const error = failure({ exitCode: 1, stderr, stdout: Buffer.from('other') });
    expect(error.extra).toEqual({ output: [...ten.slice(3), 'red'] });
    expect(error.message).toMatch(/exit code 1: red$/);
  });

  test('is that of standard output when there are no errors', () =>
    expect(
      failure({ exitCode: 1, stdout: Buffer.from('words\n'), stderr: Buffer.from(' \n') }).extra,
    ).toEqual({
      output: ['words'],
    }));
});

test('what is known of the lab goes along', () => {
  const lab = { dir: '/labs/demo' };
  expect(failure({ ended: 'timeout' }, lab).extra).toEqual({ lab });
  expect(failure({ exitCode: 1 }, lab).extra).toEqual({ output: [], lab });
});

test.each<[Partial<RunResult>, boolean]>([
  [{}, true],
  [{ exitCode: 1 }, true],
  [{ exitCode: null, signal: 'SIGTERM' }, false],
  [{ ended: 'timeout' }, false],
  [{ spawnError: 'ENOENT' }, false],
])('%j: came to its own end is %s', (changes, expected) =>
  expect(ranToItsEnd({ ...fine, ...changes })).toBe(expected),
);

test('an instance that nobody knows is named', () => {
  const error = unknownInstance('7');
  expect(error.code).toBe('instance-not-found');
  expect(error.message).toContain('"7"');
});

describe.each([
  {
    failureOf: listFailure,
    late: 'took too long and',
    words: 'The lab CLI failed with exit code 3: last',
    wanted: 'a status document',
  },
  {
    failureOf: inspectFailure,
    late: 'to report the topology',
    words: 'The lab CLI could not report the topology: it failed with exit code 3: last',
    wanted: 'a topology',
  },
])('a command that was to print something else: $words', ({ failureOf, late, words, wanted }) => {
  test('failed, with its last words', () => {
    const error = failureOf({ ...fine, exitCode: 3, stderr: Buffer.from('first\nlast\n') });
    expect(error).toMatchObject({ code: 'lab-cli-failed', message: words });
    expect(error.extra).toEqual({ output: ['first', 'last'] });
    expect(failureOf({ ...fine, exitCode: 3 }).message).toBe(words.replace(': last', ''));
    expect(failureOf(fine).message).toMatch(new RegExp(`is not ${wanted}$`));
  });

  test('was stopped', () => {
    const timeout = failureOf({ ...fine, ended: 'timeout', exitCode: null, signal: 'SIGKILL' });
    expect(timeout).toMatchObject({ code: 'lab-cli-timeout', message: expect.stringContaining(late) });
    expect(failureOf({ ...fine, ended: 'aborted', exitCode: null }).code).toBe('shutting-down');
  });
});
