import { describe, expect, test } from '@jest/globals';
import { inspectFailure, listFailure, statusFailure } from '../../../../src/labs/drivers/status-failure.ts';
import type { RunResult } from '../../../../src/labs/system/run.ts';
import { printed } from '../../../support/run-result.ts';

describe.each([
  [statusFailure, "The lab CLI's status command", 'a status document', 'to report the status'],
  [listFailure, 'The lab CLI', 'a status document', 'took too long and'],
  [inspectFailure, 'The lab CLI could not report the topology: it', 'a topology', 'to report the topology'],
] as const)('%p', (failureOf, beginning, wanted, late) => {
  test.each<[Partial<RunResult>, string]>([
    [{ spawnError: 'EACCES', exitCode: null }, 'could not be started: EACCES'],
    [{ ended: 'too-much-output', signal: 'SIGKILL' }, 'printed far too much and was stopped'],
    [{ signal: 'SIGSEGV', exitCode: null }, 'was ended by SIGSEGV'],
    [{ exitCode: 3 }, 'failed with exit code 3'],
    [{}, `printed something that is not ${wanted}`],
  ])('of %j says how the lab CLI ended', (changes, words) => {
    const error = failureOf(printed('', changes));
    expect(error).toMatchObject({ code: 'lab-cli-failed', message: `${beginning} ${words}` });
    expect(error.extra).toEqual({ output: [] });
  });

  test('names the time limit, and the end of the service', () => {
    const timeout = failureOf(printed('', { ended: 'timeout', stderr: Buffer.from('x') }));
    expect(timeout).toMatchObject({ code: 'lab-cli-timeout', message: expect.stringContaining(late) });
    expect(timeout.message).toContain('LAB_API_STATUS_TIMEOUT');
    expect(failureOf(printed('', { ended: 'aborted' })).code).toBe('shutting-down');
  });

  test('has the last ten lines of standard error, else of standard output', () => {
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);
    const stderr = Buffer.from(`${lines.join('\r\n')}\n \n\u001b[31mred\u001b[0m\n\n`);
    const error = failureOf(printed('other', { exitCode: 1, stderr }));
    expect(error.extra).toEqual({ output: [...lines.slice(3), 'red'] });
    expect(error.message).toBe(`${beginning} failed with exit code 1: red`);
    const silent = failureOf(printed('words\n', { exitCode: 1, stderr: Buffer.from(' \n') }));
    expect(silent.extra).toEqual({ output: ['words'] });
  });
});

test('what is known of the lab goes along', () => {
  const lab = { dir: '/labs/demo' };
  const failure = (changes: Partial<RunResult>) => statusFailure(printed('', changes), lab).extra;
  expect(failure({ ended: 'timeout' })).toEqual({ lab });
  expect(failure({ exitCode: 1 })).toEqual({ output: [], lab });
});
