import { describe, expect, test } from '@jest/globals';
import { endOfStatus, type ProcessEnd } from '../../../../src/jobs/run/process.ts';

const exited = (exitCode: number): ProcessEnd => ({ kind: 'exited', exitCode });
const signaled = (signal: string): ProcessEnd => ({ kind: 'signaled', signal });

describe('endOfStatus', () => {
  test.each([
    { exitCode: 0, isSignaled: false, end: exited(0) },
    { exitCode: 1, isSignaled: false, end: exited(1) },
    { exitCode: 127, isSignaled: false, end: exited(127) },
    { exitCode: 128, isSignaled: true, end: exited(128) },
    { exitCode: 129, isSignaled: true, end: signaled('SIGHUP') },
    { exitCode: 134, isSignaled: true, end: signaled('SIGABRT') },
    { exitCode: 137, isSignaled: true, end: signaled('SIGKILL') },
    { exitCode: 139, isSignaled: true, end: signaled('SIGSEGV') },
    { exitCode: 143, isSignaled: true, end: signaled('SIGTERM') },
    { exitCode: 157, isSignaled: true, end: signaled('SIGIO') },
    // A program's own number, of which the shell said nothing.
    { exitCode: 137, isSignaled: false, end: exited(137) },
    { exitCode: 143, isSignaled: false, end: exited(143) },
    { exitCode: 255, isSignaled: false, end: exited(255) },
    { exitCode: 255, isSignaled: true, end: exited(255) },
    // Of these two, shells never say anything.
    { exitCode: 130, isSignaled: false, end: signaled('SIGINT') },
    { exitCode: 141, isSignaled: false, end: signaled('SIGPIPE') },
  ])('$exitCode, with a word of the shell about a signal: $isSignaled', ({ exitCode, isSignaled, end }) => {
    expect(endOfStatus({ exitCode, signaled: isSignaled })).toEqual(end);
  });
});
