import { describe, expect, test } from '@jest/globals';
import type { Job } from '../../../../src/jobs/model/job.ts';
import type { LabPort } from '../../../../src/jobs/model/lab-port.ts';
import type { Ending } from '../../../../src/jobs/run/job-outcome.ts';
import { canceling, done, failed, finisher, id, lost, ours, overdue } from '../../../support/job-finisher.ts';

describe('finish', () => {
  test('puts the outcome, the time, the end of the log and the last line of it on record', async () => {
    const { store, it } = await finisher({});
    await it.finish(id, done, { endedMs: Date.parse('2026-01-02T03:04:07.000Z') });
    expect(await store.get(id)).toMatchObject({
      state: 'success',
      finishedAt: '2026-01-02T03:04:07.000Z',
      logSize: 7,
      progress: { message: 'a line', at: '2026-01-02T03:04:07.000Z' },
    });
    expect(store.frozenLogSize(id)).toBe(7);
  });

  test('is a line in the log of the service: of a failure a warning, with its error', async () => {
    const about = { job: id, action: 'up', lab: '7', workdir: '/labs/a', requestedBy: 'ann' };
    for (const [ending, line] of [
      [done, { level: 'info', fields: { ...about, state: 'success' } }],
      [failed, { level: 'warn', fields: { ...about, state: 'failed', error: 'it failed; run "down"' } }],
    ] as const) {
      const { log, it } = await finisher({ instance: '7', workdir: '/labs/a', requestedBy: 'ann' });
      await it.finish(id, ending);
      expect(log.entries).toMatchObject([{ message: 'job finished', ...line }]);
    }
  });

  test('keeps what a success has left behind as warnings, after those that the job has', async () => {
    const leftBehind = async (job: Job, logEnd: string) => [
      `a network of ${job.id} after "${logEnd.trim()}"`,
    ];
    const { store, it } = await finisher({ warnings: ['ignored'] }, undefined, { leftBehind });
    await it.finish(id, done);
    const { state, warnings } = (await store.get(id)) ?? {};
    expect({ state, warnings }).toEqual({
      state: 'success',
      warnings: ['ignored', `a network of ${id} after "a line"`],
    });
  });

  test('is a success where nobody can look what is left, and asks only after one', async () => {
    const asked: string[] = [];
    const leftBehind = async (): Promise<readonly string[]> => {
      asked.push('asked');
      throw new Error('no Docker');
    };
    for (const [ending, verify, state] of [
      [done, async () => undefined, 'success'],
      [failed, async () => undefined, 'failed'],
      [done, async () => 'it did not', 'failed'],
    ] as const) {
      const { store, it } = await finisher({}, verify, { leftBehind });
      await it.finish(id, ending);
      expect(await store.get(id)).toMatchObject({ state, warnings: [] });
    }
    expect(asked).toEqual(['asked']);
  });

  test('takes no end from the future', async () => {
    const { store, it } = await finisher({});
    await it.finish(id, done, { endedMs: Date.now() + 3_600_000 });
    expect(Date.parse((await store.get(id))?.finishedAt ?? '')).toBeLessThanOrEqual(Date.now());
  });

  describe('has the result read, of what printed it', () => {
    const result = { kind: 'outputs', complete: true, nodes: [] } as const;
    const read: (number | null)[] = [];
    const resultReader: LabPort['resultReader'] = () => ({
      line: () => undefined,
      end: ({ exitCode }) => {
        read.push(exitCode);
        return { result: { ...result, nodes: [] }, warnings: ['cut'], artifacts: new Map() };
      },
    });

    test.each<[string, Partial<Job>, Ending, number | null]>([
      ['with its exit code', {}, done, 0],
      ['with its exit code when it failed', {}, failed, 1],
      ['with none when it was ended by a signal', canceling, ours, null],
      ['with none when we ended it', canceling, { ...failed, stopping: ours.stopping }, null],
      ['with none when nobody saw its end', {}, lost, null],
    ])('%s', async (_name, changes, ending, exitCode) => {
      const { store, it } = await finisher({ warnings: ['old'], ...changes }, undefined, { resultReader });
      await it.finish(id, ending);
      expect(read.splice(0)).toEqual([exitCode]);
      expect(await store.get(id)).toMatchObject({ result, warnings: ['old', 'cut'] });
    });

    test('which may have an exit code of 0 not believed, and no other', async () => {
      const asked: unknown[] = [];
      const doubt: LabPort['doubt'] = ({ action }, found) => {
        asked.push([action, found]);
        return 'in r1 the command failed';
      };
      for (const [ending, resultOf, error] of [
        [done, resultReader, 'in r1 the command failed; run "down"'],
        [failed, resultReader, 'it failed; run "down"'],
        [lost, resultReader, expect.stringContaining('unknown')],
        [done, () => undefined, null],
      ] as const) {
        const { store, it } = await finisher({}, undefined, { resultReader: resultOf, doubt });
        await it.finish(id, ending);
        expect((await store.get(id))?.error).toEqual(error);
      }
      expect(asked).toEqual([['up', result]]);
    });
  });

  test('changes nothing of a job that has ended', async () => {
    const { store, it } = await finisher({ state: 'failed', finishedAt: '2026-01-02T03:04:07.000Z' });
    const before = await store.get(id);
    await it.finish(id, done);
    expect(await store.get(id)).toEqual(before);
  });

  const up = { action: 'up', onCancel: 'down' };
  const failing = { action: 'up', onFailure: 'down' };
  test.each<[string, Partial<Job>, Ending, string[]]>([
    ['of an "up" that was canceled half-way', { ...canceling, request: up }, ours, [`${id} canceling`]],
    ['not of one that was done first', { ...canceling, request: up }, done, []],
    ['not of one that is to be kept', canceling, ours, []],
    ['of one that failed', { request: failing }, failed, [`${id} running`]],
    ['of one whose end nobody saw', { request: failing }, lost, [`${id} running`]],
    ['of one that was over a limit', { ...overdue, request: failing }, ours, [`${id} running`]],
    ['not of one that failed, but only after a cancel', { request: up }, failed, []],
    ['not of one that was canceled, but only after a failure', { ...canceling, request: failing }, ours, []],
    ['not of one that succeeded', { request: failing }, done, []],
    ['not of another action that failed', { action: 'create', request: failing }, failed, []],
    ['not of a dry run that failed', { request: { ...failing, dryRun: true } }, failed, []],
    ['not of a dry run', { ...canceling, request: { ...up, dryRun: true } }, ours, []],
  ])('has what is left taken down: %s', async (_name, changes, ending, expected) => {
    const { store, cleaned, it } = await finisher(changes);
    await it.finish(id, ending);
    expect(cleaned).toEqual(expected);
    expect((await store.get(id))?.cleanupJobId).toBe(expected.length === 0 ? null : 'job-2-aaaaaa');
  });
});

describe('something may be left', () => {
  test.each<[string, Partial<Job>, Ending, readonly [boolean, string | null]]>([
    ['after an "up" that failed', {}, failed, [true, 'it failed; run "down"']],
    ['after one that was canceled', canceling, ours, [true, 'canceled by ann; run "down"']],
    [
      'after a "down" that was canceled',
      { ...canceling, action: 'down' },
      ours,
      [true, 'canceled by ann; run "down"'],
    ],
    ['not after a "down" that failed', { action: 'down' }, failed, [false, 'it failed']],
    ['not after a dry run', { request: { dryRun: true } }, failed, [false, 'it failed']],
    ['not after a success', {}, done, [false, null]],
  ])('%s', async (_name, changes, ending, [mayHaveLeftLab, error]) => {
    const { store, it } = await finisher(changes);
    await it.finish(id, ending);
    expect(await store.get(id)).toMatchObject({ mayHaveLeftLab, error });
  });
});

describe('a job that waits until the nodes of its lab are ready', () => {
  const wants = { request: { action: 'up', waitReadySeconds: 60 } } as const;
  const late = 'not all nodes were ready 60 s after the lab was up: r2 (it is down)';

  test('succeeds when they are, and says in its log what it waits for', async () => {
    const untilReady: LabPort['untilReady'] = async (_job, { say, endedMs }) => {
      expect(endedMs).toBe(1);
      say('waiting for r2');
      return Promise.resolve(undefined);
    };
    const { store, it } = await finisher(wants, undefined, { untilReady });
    await it.finish(id, done, { endedMs: 1 });
    const { state, finishedAt, progress } = (await store.get(id)) ?? {};
    expect({ state, message: progress?.message }).toEqual({ state: 'success', message: 'waiting for r2' });
    // The wait is a part of the job.
    expect(Date.parse(finishedAt ?? '')).toBeGreaterThan(1_000);
  });

  test('fails when they are late, and its lab is taken down if it asks for that', async () => {
    const request = { ...wants.request, onFailure: 'down' } as const;
    const { store, it, cleaned } = await finisher({ request }, undefined, {
      untilReady: async () => Promise.resolve(late),
    });
    await it.finish(id, done);
    expect(await store.get(id)).toMatchObject({ state: 'failed', exitCode: 0, mayHaveLeftLab: true });
    expect((await store.get(id))?.error).toBe(`${late}; job-2-aaaaaa takes the lab down`);
    expect(cleaned).toEqual([`${id} running`]);
  });

  test('says that its lab is up all the same', async () => {
    const { store, it } = await finisher(wants, undefined, { untilReady: async () => Promise.resolve(late) });
    await it.finish(id, done);
    expect((await store.get(id))?.error).toBe(`${late}; the lab is up`);
  });

  test('is canceled while it waits', async () => {
    const request = { ...wants.request, onCancel: 'down' } as const;
    const stop = new AbortController();
    const { store, it, cleaned } = await finisher({ request, ...canceling }, undefined, {
      untilReady: async () => Promise.reject(new Error('not asked')),
    });
    await it.finish(id, done, { stopped: stop.signal });
    expect(await store.get(id)).toMatchObject({ state: 'canceled', reason: 'canceled', exitCode: 0 });
    expect(cleaned).toEqual([`${id} canceling`]);
  });

  test.each([failed, lost])('does not wait when its command has failed', async (ending) => {
    const { store, it } = await finisher(wants, undefined, {
      untilReady: async () => Promise.reject(new Error('not asked')),
    });
    await it.finish(id, ending);
    const { state, error } = (await store.get(id)) ?? {};
    expect({ state, isAsked: error?.includes('not asked') }).toEqual({ state: 'failed', isAsked: false });
  });

  test('fails when the readiness is unknown', async () => {
    const { store, it } = await finisher(wants, undefined, {
      untilReady: async () => Promise.reject(new Error('no answer')),
    });
    await it.finish(id, done);
    expect((await store.get(id))?.error).toContain('whether its nodes are ready is unknown: no answer');
  });
});
