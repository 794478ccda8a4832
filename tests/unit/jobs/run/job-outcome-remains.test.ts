/** What the end of a job may leave, and what its client asked to be cleaned up after. */
import { describe, expect, test } from '@jest/globals';
import type { Job, StopRequest } from '../../../../src/jobs/model/job.ts';
import {
  cleanUpFieldsOf,
  isEndedHalfWay,
  mayHaveLeftLab,
  type Ending,
  type Outcome,
} from '../../../../src/jobs/run/job-outcome.ts';
import type { ProcessEnd } from '../../../../src/jobs/run/process.ts';
import { sampleJob } from '../../../support/sample-job.ts';

const lab = { isSuccess: (_job: Job, exitCode: number) => exitCode === 0 };

const by = (reason: StopRequest['reason']): Partial<Job> => ({
  state: reason === 'canceled' ? 'canceling' : 'running',
  stopRequest: { reason, by: null, at: '2026-01-02T03:04:05.678Z' },
});

const ofItself = (end: ProcessEnd): Ending => ({ end, stopping: { signaled: false, leftovers: [] } });
const byUs = (end: ProcessEnd): Ending => ({ end, stopping: { signaled: true, leftovers: [] } });
const exited = (exitCode: number): ProcessEnd => ({ kind: 'exited', exitCode });
const interrupted: ProcessEnd = { kind: 'signaled', signal: 'SIGINT' };

describe('half-way', () => {
  test.each<[string, Partial<Job>, Ending, boolean]>([
    ['is what we were asked to end, and ended', by('canceled'), byUs(interrupted), true],
    ['is what was over a limit', by('timeout'), byUs(exited(1)), true],
    ['is not what nobody asked to end', {}, byUs(interrupted), false],
    ['is not what ended before our signal', by('canceled'), ofItself(exited(1)), false],
    ['is not what was done in spite of it', by('canceled'), byUs(exited(0)), false],
  ])('%s', (_name, job, ending, expected) => {
    expect(isEndedHalfWay(sampleJob(job), ending, lab)).toBe(expected);
  });
});

describe('cleaned up after', () => {
  test.each<[string, Partial<Job>, Ending, readonly string[]]>([
    ['a cancel', by('canceled'), byUs(interrupted), ['onCancel']],
    ['a limit', by('timeout'), byUs(interrupted), ['onCancel', 'onFailure']],
    ['a failure', {}, ofItself(exited(1)), ['onFailure']],
    ['no success', {}, ofItself(exited(0)), []],
    ['an end that nobody saw, as a failure', {}, ofItself({ kind: 'lost' }), ['onFailure']],
  ])('%s', (_name, job, ending, expected) => {
    expect(cleanUpFieldsOf(sampleJob(job), ending, { lab, isVerified: true })).toEqual(expected);
  });

  test('an exit code that is not believed', () => {
    const unbelieved = { lab, isVerified: false };
    expect(cleanUpFieldsOf(sampleJob(), ofItself(exited(0)), unbelieved)).toEqual(['onFailure']);
  });
});

describe('something of a lab may be left', () => {
  interface Case {
    readonly name: string;
    readonly job?: Partial<Job>;
    readonly outcome?: Partial<Outcome>;
    readonly hint?: string | undefined;
    readonly expected: boolean;
  }
  const lost = { reason: 'interrupted' } as const;
  const cases: readonly Case[] = [
    { name: 'by an up that failed', expected: true },
    { name: 'not where the lab CLI knows of nothing', hint: undefined, expected: false },
    { name: 'not by a success', outcome: { state: 'success' }, expected: false },
    {
      name: 'not by a dry run, not even a lost one',
      job: { request: { dryRun: true } },
      outcome: lost,
      expected: false,
    },
    { name: 'not by a down that failed by itself', job: { action: 'down' }, expected: false },
    { name: 'by a down whose end nobody saw', job: { action: 'down' }, outcome: lost, expected: true },
    { name: 'not by what makes no lab', job: { action: 'status' }, outcome: lost, expected: false },
  ];

  test.each(cases)('$name', ({ job = {}, outcome = {}, expected, ...rest }) => {
    const hint = 'hint' in rest ? rest.hint : 'clean up';
    const failed = { state: 'failed', reason: 'exited', exitCode: 1, signal: null, error: null } as const;
    const evidence = {
      lab: { ...lab, errorSentence: () => '', cleanupHint: () => hint },
      logEnd: '',
    };
    expect(mayHaveLeftLab(sampleJob(job), { ...failed, ...outcome }, evidence)).toBe(expected);
  });
});
