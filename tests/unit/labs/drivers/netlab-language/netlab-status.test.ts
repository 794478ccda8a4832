import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../../../../src/lib/app-error.ts';
import { netlabStatus } from '../../../../../src/labs/drivers/netlab-language/netlab-status.ts';
import type { LabEntries, StatusSource } from '../../../../../src/labs/drivers/status-driver.ts';
import type { RunResult } from '../../../../../src/labs/system/run.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { printed } from '../../../../support/run-result.ts';

describe('what tells one start of a lab from another', () => {
  const at = (second: number): string => `2026-01-15T09:30:0${second}.500000+00:00`;
  const atMs = Date.UTC(2026, 0, 15, 9, 30, 1, 500);

  test.each([
    ['the start', [`${at(1)}: starting lab`, `${at(2)}: started`], `${at(1)}: starting lab`],
    ['the last of several', [`${at(0)}: starting lab`, `${at(1)}: starting lab`], `${at(1)}: starting lab`],
    ['a start anew', [`${at(0)}: starting lab`, `${at(1)}: restarting lab`], `${at(1)}: restarting lab`],
    [
      'no line that only begins so, else the first line',
      [`${at(1)}: starting`, `${at(2)}: starting lab demo`],
      `${at(1)}: starting`,
    ],
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

test.each([
  ['/labs/demo', '/labs/demo'],
  ['', undefined],
  [7, undefined],
])('the directory %p', (dir, directory) => {
  expect(netlabStatus.directoryOf({ dir })).toBe(directory);
});

test('a document of some labs, and of none as netlab prints it', () => {
  const demo = { dir: '/labs/demo' };
  expect(netlabStatus.documentOf(new Map([['default', demo]]))).toEqual({ default: demo });
  expect(Object.keys(netlabStatus.documentOf(new Map()))).toEqual(['warning']);
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

  test('that finds no labs, or the lab not started, reads the list as it is kept', async () => {
    const none = source([printed('No labs\n', { exitCode: 1 })]);
    expect(String(await netlabStatus.allText(none.from))).toBe('No labs\n');
    const entries = new Map([['default', demo]]);
    const stopped = source([printed('{"error": "Lab is not started"}')], entries);
    expect(JSON.parse(String(await netlabStatus.instanceJson('default', stopped.from)))).toEqual(demo);
    expect([none.lists, stopped.lists]).toEqual([[false], [false]]);
  });
});

const fixture = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path.resolve(__dirname, '../../../../fixtures/netlab', name), 'utf8')) as Record<
    string,
    unknown
  >;

const summaryOf = netlabStatus.summaryOf;
const nodesOf = (document: unknown, atMs: number) =>
  netlabStatus.nodesOf(Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)), atMs);

const printedAtMs = Date.parse('2026-11-21T03:33:10Z');

test('what netlab 26.10 says of a lab', () => {
  const { default: entry } = fixture('status-all.json') as { default: Record<string, unknown> };
  const started = { name: 'demo', provider: 'clab', startedAtMs: Date.parse('2026-11-21T03:33:00.105Z') };
  expect(summaryOf(entry)).toEqual(started);
  expect(summaryOf({ ...entry, status: 'stopping' })).toEqual({ ...started, startedAtMs: null });
});

test.each([{}, { log: 7, providers: {}, name: '' }, { status: 'started', log: ['x: started', 7] }])(
  'of %p nothing is known',
  (entry) => {
    expect(summaryOf(entry)).toEqual({ name: null, provider: null, startedAtMs: null });
  },
);

test('what netlab 26.10 says of nodes', () => {
  const nodes = nodesOf(fixture('status-instance.json'), printedAtMs);
  expect(nodes).toHaveLength(5);
  expect(nodes[0]).toEqual({
    name: 'r1',
    device: 'frr',
    provider: 'clab',
    image: 'quay.io/frrouting/frr:10.7.1',
    address: '192.168.121.101',
    state: 'up',
    since: { atMs: printedAtMs - 4_000, withinMs: 1_000 },
    container: { name: 'clab-demo-r1', partOf: null, there: undefined },
  });
  expect(nodesOf({ nodes: { r1: { provider: 'libvirt', provider_name: 'demo_r1' } } }, 0)).toMatchObject([
    { container: null },
  ]);
});

test('a node whose container is gone has no status: it is down', () => {
  const document = fixture('status-dead-node.json');
  const down = nodesOf(document, printedAtMs).filter(({ state }) => state !== 'up');
  expect(down).toMatchObject([{ name: 'h2', state: 'down', since: null }]);
  const printedDocument = Buffer.from(JSON.stringify(document));
  expect(netlabStatus.nodeEntriesOf(printedDocument)).toEqual(document['nodes']);
});

test.each([
  ['running', 'up'],
  ['Up 3 seconds', 'up'],
  ['Starting up', 'down'],
  ['upset', 'down'],
  ['Unknown', 'unknown'],
  [7, 'unknown'],
  [null, 'down'],
  ['Exited (137) 2 minutes ago', 'down'],
  ['missing', 'down'],
])('a node that is %j is %s', (status, state) => {
  expect(nodesOf({ nodes: { r1: { status } } }, printedAtMs)).toMatchObject([{ state }]);
});

test('what is no node has an unknown state, and other documents have no nodes', () => {
  expect(nodesOf({ nodes: { r1: 'odd' } }, printedAtMs)).toMatchObject([
    { name: 'r1', device: null, state: 'unknown' },
  ]);
  for (const document of ['no JSON', '[]', '{}', '{"nodes": 7}', '{"nodes": ["r1"]}', '{"nodes": null}']) {
    expect(nodesOf(document, printedAtMs)).toEqual([]);
    expect(netlabStatus.nodeEntriesOf(Buffer.from(document))).toBeUndefined();
  }
});

test('a lab that is missing was started, and a line that is none says nothing', () => {
  const log = ['2026-11-21T03:33:00.105000+00:00: started', 7];
  const startedAtMs = Date.parse('2026-11-21T03:33:00.105Z');
  expect(summaryOf({ status: 'missing', log })).toMatchObject({ startedAtMs });
});

test('the nodes of the engine came up with their lab', () => {
  const log = ['2026-11-21T03:33:00.105000+00:00: started'];
  const document = { status: 'started', log, nodes: { r1: { status: 'Up' }, r2: { status: 'missing' } } };
  const atMs = Date.parse('2026-11-21T03:33:00.105Z');
  expect(nodesOf(document, printedAtMs)).toMatchObject([{ since: { atMs, withinMs: 0 } }, { since: null }]);
});
