import { expect, test } from '@jest/globals';
import { wayFailure } from '../../../../src/labs/nodes/way-failure.ts';

const failure = (words: string) => wayFailure('the node r1', { exitCode: null, words });

test.each([
  'Error response from daemon: No such container: clab-demo-r1',
  'Error response from daemon: container 5e5 is not running',
  'the node r1 is missing: its namespace lab-1-r1 is gone',
  'Cannot open network namespace "lab-1-r1": No such file or directory',
  'Unknown lab instance default',
])('what says that the node has gone is that: %s', (words) => {
  expect(failure(words)).toMatchObject({ code: 'lab-not-up', message: `the node r1 is not up: ${words}` });
});

test('anything else is told with its last ten lines, without colours and empty ones', () => {
  const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);
  const { code, message, extra } = failure(`${lines.join('\r\n\n')}\n \n\u001b[31mdenied\u001b[0m\n`);
  expect(code).toBe('lab-cli-failed');
  expect(message).toBe('the node r1 was not reached: denied');
  expect(extra).toEqual({ output: [...lines.slice(3), 'denied'] });
});

test('also when nothing was said', () => {
  expect(failure(' \n')).toMatchObject({
    message: 'the node r1 was not reached: nothing was said of it',
    extra: { output: [] },
  });
});
