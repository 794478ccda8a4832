import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../../../src/lib/app-error.ts';
import { netlabStatus } from '../../../../../src/labs/drivers/netlab/netlab-status.ts';
import type { LabEntries, StatusSource } from '../../../../../src/labs/drivers/status-driver.ts';
import type { RunResult } from '../../../../../src/labs/system/run.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { printed } from '../../../../support/run-result.ts';

describe('the state of a lab', () => {
  // The sentences of netsim/cli/up.py and down.py, and the words of the bundled engine.
  test.each([
    ['started', 'started'],
    ['starting', 'starting'],
    ['starting lab', 'starting'],
    ['restarting lab', 'starting'],
    ['starting provider clab', 'starting'],
    ['deploying initial configuration', 'starting'],
    ['initial configuration complete', 'starting'],
    ['reloading saved initial configurations', 'starting'],
    ['saved initial configurations reloaded', 'starting'],
    ['starting external tools', 'starting'],
    ['stopping', 'stopping'],
    ['stopping external tools', 'stopping'],
    ['external tools stopped', 'stopping'],
    ['lab shutdown requested', 'stopping'],
    ['missing', 'missing'],
    ['conflict -- trying to start lab in /labs/demo', 'other'],
    ['started?', 'other'],
    [7, 'other'],
    [undefined, 'other'],
  ])('%p is %s', (status, state) => {
    expect(netlabStatus.stateOf({ status })).toBe(state);
  });
});

describe('the states of nodes', () => {
  test.each([
    ['Up 4 seconds', 'up'],
    ['Up', 'up'],
    ['running', 'up'],
    ['Exited (137) 2 minutes ago', 'down'],
    ['missing', 'down'],
    ['Not running', 'down'],
    ['Upset', 'down'],
    ['Unknown', 'unknown'],
    [true, 'unknown'],
  ])('%p is %s', (status, state) => {
    const document = Buffer.from(JSON.stringify({ nodes: { r1: { status } } }));
    expect(netlabStatus.nodesOf(document, 0)).toMatchObject([{ name: 'r1', state }]);
  });

  test.each(['', 'no JSON', '[]', '{}', '{"nodes": []}', '{"nodes": null}'])('of %p are none', (text) => {
    expect(netlabStatus.nodesOf(Buffer.from(text), 0)).toEqual([]);
  });
});

describe('what tells one start of a lab from another', () => {
  const at = (second: number): string => `2026-01-15T09:30:0${second}.500000+00:00`;
  const atMs = Date.UTC(2026, 0, 15, 9, 30, 1, 500);

  test.each([
    ['the start', [`${at(1)}: starting lab`, `${at(2)}: started`], `${at(1)}: starting lab`],
    ['the last of several', [`${at(0)}: starting lab`, `${at(1)}: starting lab`], `${at(1)}: starting lab`],
    ['a start anew', [`${at(0)}: starting lab`, `${at(1)}: restarting lab`], `${at(1)}: restarting lab`],
    [
      'no line that only begins so',
      [`${at(1)}: starting lab`, `${at(2)}: starting lab demo`],
      `${at(1)}: starting lab`,
    ],
    ['else the first line', [`${at(1)}: starting`, `${at(2)}: started`], `${at(1)}: starting`],
    ['no line that is no text', [7, null, `${at(1)}: up`], `${at(1)}: up`],
  ])('%s', (_name, log, mark) => {
    expect(netlabStatus.startOf({ log })).toEqual({ mark, atMs });
  });

  test.each(['no time at all', 'soon: starting lab'])('%p has no time', (mark) => {
    expect(netlabStatus.startOf({ log: [mark] })).toEqual({ mark, atMs: null });
  });

  test.each([undefined, [], [7], 'starting lab', { 0: 'starting lab' }])(
    'of the log %p nothing does',
    (log) => {
      expect(netlabStatus.startOf({ log })).toBeUndefined();
    },
  );
});

describe('what an entry and a document say', () => {
  test.each([
    ['/labs/demo', '/labs/demo'],
    ['', undefined],
    [7, undefined],
    [undefined, undefined],
  ])('of the directory %p', (dir, directory) => {
    expect(netlabStatus.directoryOf({ dir })).toBe(directory);
  });

  test('of each node, by its name', () => {
    const nodes = { r1: { status: 'Up' }, r2: {} };
    expect(netlabStatus.nodeEntriesOf(Buffer.from(JSON.stringify({ nodes })))).toEqual(nodes);
  });

  test.each(['no JSON', '[]', '{}', '{"nodes": []}'])('of no node in %p', (text) => {
    expect(netlabStatus.nodeEntriesOf(Buffer.from(text))).toBeUndefined();
  });

  test('of some labs; of none, as netlab says it', () => {
    const demo = { dir: '/labs/demo' };
    expect(netlabStatus.documentOf(new Map([['default', demo]]))).toEqual({ default: demo });
    expect(Object.keys(netlabStatus.documentOf(new Map()))).toEqual(['warning']);
  });
});

describe('a run of the lab CLI', () => {
  const demo = { dir: '/labs/demo' };

  /** Answers each run with the next result; notes which runs there were, and which lists were asked for. */
  function source(results: readonly RunResult[], entries: LabEntries | AppError = new Map()) {
    const runs: (readonly string[])[] = [];
    const lists: boolean[] = [];
    const from: StatusSource = {
      run: async (args) => Promise.resolve(results[runs.push(args) - 1] ?? printed('')),
      entries: async (fresh) => {
        lists.push(fresh);
        return entries instanceof AppError ? Promise.reject(entries) : Promise.resolve(entries);
      },
    };
    return { from, runs, lists };
  }

  test('for one lab names it', async () => {
    const { from, runs } = source([printed('{"dir": "/labs/demo"}'), printed('as text')]);
    expect(String(await netlabStatus.instanceJson('one', from))).toBe('{"dir": "/labs/demo"}');
    expect(String(await netlabStatus.instanceText('one', from))).toBe('as text');
    expect(runs).toEqual([
      ['status', '--instance', 'one', '--format', 'json'],
      ['status', '--instance', 'one'],
    ]);
  });

  test('gives labs alone, whatever else is in the document', async () => {
    const { from } = source([
      printed(JSON.stringify({ default: demo, version: 7, list: [demo], none: null })),
    ]);
    const { entries } = await netlabStatus.allJson(from.run);
    expect([...entries]).toEqual([['default', demo]]);
  });

  test.each<[string, string, Partial<RunResult>]>([
    ['printed too much', 'lab-cli-failed', { ended: 'too-much-output' }],
    ['took too long', 'lab-cli-timeout', { ended: 'timeout' }],
    ['was killed', 'lab-cli-failed', { exitCode: null, signal: 'SIGKILL' }],
  ])('that %s is no answer, whatever it had printed', async (_what, code, how) => {
    const stopped = printed('{"default": {}}', how);
    expect(await failureOf(netlabStatus.allJson(source([stopped]).from.run))).toMatchObject({ code });
    // Nobody is asked then whether there are labs: that would take as long.
    const all = source([stopped], new Map([['default', demo]]));
    expect(await failureOf(netlabStatus.allText(all.from))).toMatchObject({ code });
    expect(all.lists).toEqual([]);
    // What is known of the lab already is told with it.
    const one = source([stopped], new Map([['default', demo]]));
    expect(await failureOf(netlabStatus.instanceText('default', one.from))).toMatchObject({
      code,
      extra: { lab: demo },
    });
    expect(one.lists).toEqual([false]);
    // Not being there now does not make the lab unknown: nobody has looked again.
    expect(await failureOf(netlabStatus.instanceJson('gone', source([stopped]).from))).toMatchObject({
      code,
    });
  });

  test('that failed is told as such when the list fails, too', async () => {
    const failed = source([printed('Traceback', { exitCode: 1 })], new AppError('lab-cli-timeout', 'slow'));
    expect(await failureOf(netlabStatus.instanceText('default', failed.from))).toMatchObject({
      code: 'lab-cli-failed',
      extra: { output: ['Traceback'] },
    });
    expect(failed.lists).toEqual([true]);
  });

  test('that says in text that there are none asks the list as it is kept', async () => {
    const { from, lists } = source([printed('No labs\n', { exitCode: 1 })]);
    expect(String(await netlabStatus.allText(from))).toBe('No labs\n');
    expect(lists).toEqual([false]);
  });

  test('that finds the lab not started asks the list as it is kept', async () => {
    const { from, lists } = source(
      [printed('{"error": "Lab is not started"}')],
      new Map([['default', demo]]),
    );
    expect(JSON.parse(String(await netlabStatus.instanceJson('default', from)))).toEqual(demo);
    expect(lists).toEqual([false]);
  });
});
