import { expect, test } from '@jest/globals';
import type { Job, StopRequest } from '../../../../src/jobs/model/job.ts';
import { decideOutcome, type Outcome, type Stopping } from '../../../../src/jobs/run/job-outcome.ts';
import type { ProcessEnd } from '../../../../src/jobs/run/process.ts';
import { sampleJob } from '../../../support/sample-job.ts';

const exited = (exitCode: number): ProcessEnd => ({ kind: 'exited', exitCode });
const signaled = (signal: string): ProcessEnd => ({ kind: 'signaled', signal });
const lost: ProcessEnd = { kind: 'lost' };

const by = (reason: StopRequest['reason'], who: string | null = null): Partial<Job> => ({
  state: reason === 'canceled' ? 'canceling' : 'running',
  stopRequest: { reason, by: who, at: '2026-01-02T03:04:05.678Z' },
});

const untouched: Stopping = { signaled: false, leftovers: [] };
const ours: Stopping = { signaled: true, leftovers: [] };

interface Case {
  readonly name: string;
  readonly job?: Partial<Job>;
  readonly end: ProcessEnd;
  readonly stopping?: Stopping;
  readonly verdict?: string;
  readonly hint?: string;
  readonly cleanupJobId?: string;
  readonly outcome: readonly [Outcome['state'], Outcome['reason'], Outcome['error']];
}

const cases: Case[] = [
  {
    name: 'exit code 0',
    end: exited(0),
    outcome: ['success', 'exited', null],
  },
  {
    name: 'exit code 0 that is not to be believed, for a lab with marks in its name that a terminal obeys',
    end: exited(0),
    verdict: 'the lab a\u202eb\u001b is still there',
    outcome: ['failed', 'exited', String.raw`the lab a\u202eb\u001b is still there`],
  },
  {
    name: 'another exit code',
    end: exited(3),
    hint: 'clean up',
    outcome: ['failed', 'exited', 'up: code 3, signal null, end of log; clean up'],
  },
  {
    name: 'another exit code, of what leaves nothing',
    job: { action: 'create' },
    end: exited(3),
    hint: 'clean up',
    outcome: ['failed', 'exited', 'create: code 3, signal null, end of log'],
  },
  {
    name: 'another exit code of a dry run',
    job: { request: { action: 'up', dryRun: true } },
    end: exited(3),
    hint: 'clean up',
    outcome: ['failed', 'exited', 'up: code 3, signal null, end of log'],
  },
  {
    name: 'another exit code, and a job that cleans up',
    end: exited(3),
    hint: 'clean up',
    cleanupJobId: 'job-9',
    outcome: ['failed', 'exited', 'up: code 3, signal null, end of log; job-9 takes the lab down'],
  },
  {
    name: 'a signal of somebody else',
    end: signaled('SIGKILL'),
    hint: 'clean up',
    outcome: ['failed', 'signaled', 'up: code null, signal SIGKILL, end of log; clean up'],
  },
  {
    name: 'lost',
    end: lost,
    hint: 'clean up',
    outcome: [
      'failed',
      'interrupted',
      'the service or the machine went down while the job ran, and how it ended is unknown; clean up',
    ],
  },
  {
    name: 'an end without a beginning, where nobody looked for that',
    end: { kind: 'unstarted' },
    outcome: [
      'failed',
      'interrupted',
      'the service or the machine went down while the job ran, and how it ended is unknown',
    ],
  },
  {
    name: 'canceled by alice',
    job: by('canceled', 'alice'),
    end: signaled('SIGINT'),
    stopping: ours,
    outcome: ['canceled', 'canceled', 'canceled by alice'],
  },
  {
    name: 'canceled by nobody in particular, with an exit code of its own',
    job: by('canceled'),
    end: exited(1),
    stopping: ours,
    hint: 'clean up',
    outcome: ['canceled', 'canceled', 'canceled; clean up'],
  },
  {
    name: 'to be canceled, but it did all it was asked to in spite of our signal',
    job: by('canceled', 'alice'),
    end: exited(0),
    stopping: ours,
    outcome: ['success', 'exited', null],
  },
  {
    name: 'canceled, and something survived',
    job: by('canceled', 'alice'),
    end: lost,
    stopping: { signaled: true, leftovers: [17, 4] },
    outcome: ['failed', 'canceled', 'canceled by alice; these processes could not be ended: 17, 4'],
  },
  {
    name: 'to be canceled, but it succeeded before the first signal',
    job: by('canceled', 'alice'),
    end: exited(0),
    outcome: ['success', 'exited', null],
  },
  {
    name: 'to be canceled, but it failed before the first signal',
    job: by('canceled', 'alice'),
    end: exited(2),
    outcome: ['failed', 'exited', 'up: code 2, signal null, end of log'],
  },
  {
    name: 'a time-out',
    job: by('timeout'),
    end: signaled('SIGTERM'),
    stopping: ours,
    outcome: ['failed', 'timeout', 'up took longer than its limit of 1m and was ended'],
  },
  {
    name: 'a time-out after which a cancel came',
    job: { ...by('timeout'), state: 'canceling' },
    end: signaled('SIGKILL'),
    stopping: ours,
    outcome: ['failed', 'timeout', 'up took longer than its limit of 1m and was ended'],
  },
  {
    name: 'a log too long',
    job: by('log-limit'),
    end: signaled('SIGINT'),
    stopping: ours,
    outcome: ['failed', 'log-limit', 'the log grew over its limit of 1 GiB and the job was ended'],
  },
  {
    name: 'lost with something that survived',
    end: lost,
    stopping: { signaled: false, leftovers: [9] },
    outcome: [
      'failed',
      'interrupted',
      'the service or the machine went down while the job ran, and how it ended is unknown; these processes could not be ended: 9',
    ],
  },
];

test.each(cases)('$name', ({ job = {}, end, stopping = untouched, verdict, hint, cleanupJobId, outcome }) => {
  const limits = { maxLogSizeBytes: 1024 ** 3, cleanupJobId: cleanupJobId ?? null };
  const lab = {
    errorSentence: (
      { action }: Job,
      told: { exitCode: number | null; signal: string | null },
      logEnd: string,
    ) => `${action}: code ${told.exitCode}, signal ${told.signal}, ${logEnd}`,
    cleanupHint: () => hint,
    isSuccess: (_job: Job, exitCode: number) => exitCode === 0,
  };
  const evidence = { end, stopping, logEnd: 'end of log', verdict, result: null, ...limits, lab };
  const [state, reason, error] = outcome;
  const exitCode = end.kind === 'exited' ? end.exitCode : null;
  const signal = end.kind === 'signaled' ? end.signal : null;
  expect(decideOutcome(sampleJob({ state: 'running', ...job }), evidence)).toEqual({
    state,
    reason,
    exitCode,
    signal,
    error,
  });
});
