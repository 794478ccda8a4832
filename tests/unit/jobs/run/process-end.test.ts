import { describe, expect, test } from '@jest/globals';
import { endOfStatus, type ProcessEnd } from '../../../../src/jobs/run/process-end.ts';

const exited = (exitCode: number): ProcessEnd => ({ kind: 'exited', exitCode });
const signaled = (signal: string): ProcessEnd => ({ kind: 'signaled', signal });

describe('endOfStatus', () => {
  test.each([
    [0, false, exited(0)],
    [1, false, exited(1)],
    [127, false, exited(127)],
    [128, true, exited(128)],
    [129, true, signaled('SIGHUP')],
    [134, true, signaled('SIGABRT')],
    [137, true, signaled('SIGKILL')],
    [139, true, signaled('SIGSEGV')],
    [143, true, signaled('SIGTERM')],
    [157, true, signaled('SIGIO')],
    // A program's own number, of which the shell said nothing.
    [137, false, exited(137)],
    [143, false, exited(143)],
    [255, false, exited(255)],
    [255, true, exited(255)],
    // Of these two, shells never say anything.
    [130, false, signaled('SIGINT')],
    [141, false, signaled('SIGPIPE')],
  ])('%d, with a word of the shell about a signal: %j', (exitCode, isSignaled, end) => {
    expect(endOfStatus({ exitCode, signaled: isSignaled })).toEqual(end);
  });
});
