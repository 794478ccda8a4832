import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FaultReport, StreamLoss } from '../../../src/scenarios/model/scenario-report.ts';
import { faultLines } from '../../../src/scenarios/model/report-words.ts';
import { scenarioError, scenarioOutput } from '../../../src/scenarios/read-output.ts';
import { Report } from '../../../src/scenarios/run/report.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

function loss(stream: string, lost: number, isAnswered = true): StreamLoss {
  const outageMs = lost * 20;
  const gaps = lost === 0 ? [] : [{ fromMs: 100, lost }];
  const recoveredAfterMs = lost > 0 && isAnswered ? 100 + outageMs : null;
  return {
    stream,
    periodMs: 20,
    sent: 500,
    lost,
    outageMs,
    longestGapMs: outageMs,
    recoveredAfterMs,
    isAnswered,
    gaps,
  };
}

function report(fault: string, streams: readonly StreamLoss[], reasons: readonly string[] = []): FaultReport {
  return {
    fault,
    verdict: reasons.length === 0 ? 'passed' : 'failed',
    reasons,
    setAt: '2026-01-01T00:00:00.000Z',
    heldMs: 8_000,
    healedMs: 3_500,
    limitMs: 1_000,
    streams,
    pathsBefore: [],
    paths: [],
    afterHeal: streams.map(({ stream }) => loss(stream, 0)),
  };
}

const good = report('r1-r2 down', [loss('h1 → h2 IPv4', 0), loss('h1 → h2 IPv6', 12)]);
const bad = report(
  '<r2>-r3 (2) down',
  [loss('h1 → h2 IPv4', 115)],
  ['h1 → h2 IPv4 was 2.30 s without traffic, at most 1.00 s'],
);

it('each path has a line, with the one before if it is another', () => {
  const pathOf = (stream: string, hops: readonly (string | null)[], isWhole = true) => ({
    stream,
    hops,
    isWhole,
  });
  const before = ['a', 'b', 'c', 'd'].map((stream) => pathOf(stream, ['r1', 'r2', 'h2']));
  const paths = [
    pathOf('a', ['r1', 'r2', 'h2']),
    pathOf('b', ['r1', null, 'r2', 'h2']),
    pathOf('c', ['r1'], false),
    pathOf('d', [], false),
  ];
  expect(faultLines({ ...good, streams: [], afterHeal: [], pathsBefore: before, paths }).slice(1)).toEqual([
    '  a by r1, r2, h2 (as before)',
    '  b by r1, ?, r2, h2 (before: r1, r2, h2)',
    '  c by r1, no answer (before: r1, r2, h2)',
    '  d by no answer (before: r1, r2, h2)',
  ]);
});

it('the service reads what the program prints', () => {
  const reader = scenarioOutput();
  for (const fault of [good, bad]) for (const line of faultLines(fault)) reader.line(line);
  reader.line('All faults were run: 1 passed, 1 failed');
  expect(reader.end({ exitCode: 1 }).result).toEqual({
    kind: 'tests',
    passed: 1,
    failed: 1,
    warnings: 0,
    complete: true,
    truncated: false,
    tests: [
      {
        name: 'r1-r2 down',
        description: null,
        nodes: [],
        outcome: 'passed',
        reason: null,
        messages: [
          'h1 → h2 IPv4: less than 0.02 s without traffic (0 of 500 probes lost)',
          'h1 → h2 IPv6: 0.24 s without traffic (12 of 500 probes lost)',
        ],
        seconds: 11.5,
      },
      {
        name: '<r2>-r3 (2) down',
        description: null,
        nodes: [],
        outcome: 'failed',
        reason: 'h1 → h2 IPv4 was 2.30 s without traffic, at most 1.00 s',
        messages: ['h1 → h2 IPv4: 2.30 s without traffic (115 of 500 probes lost)'],
        seconds: 11.5,
      },
    ],
  });
});

it('a scenario that was cut short is not complete', () => {
  const reader = scenarioOutput();
  for (const line of faultLines(good)) reader.line(line);
  expect(reader.end({ exitCode: null }).result).toMatchObject({ complete: false, passed: 1, failed: 0 });
});

it.each([
  [{ exitCode: 1, signal: null }, 'FAIL x\nerror: first\nerror: it was that\n', 'it was that'],
  [{ exitCode: 2, signal: null }, 'nothing', 'the scenario ended with exit code 2, and said no more'],
  [{ exitCode: null, signal: 'SIGKILL' }, '', 'the scenario was ended by SIGKILL'],
])('the error of a job is what the program said last: %#', (end, log, sentence) => {
  expect(scenarioError(end, log)).toBe(sentence);
});

const ground = temporaryDirectory();

it('the files tell of every fault, and names are escaped', async () => {
  const directory = path.join(ground, 'artifacts');
  const streams = ['h1 → h2 IPv4', 'h1 → h2 IPv6'];
  const plan = {
    title: 'A & B',
    streams: streams.map((name) => ({ name, from: 'h1', address: '10.0.0.2', source: null, periodMs: 20 })),
    faults: [good, bad].map(({ fault }) => ({ name: fault, parts: [], limitMs: null, isSudden: true })),
    captures: [],
    paths: null,
    steadyTests: [],
    expectedTests: [],
    holdMs: 8_000,
    steadyMs: 3_000,
    withinMs: 60_000,
    lossPercent: 0,
  };
  const whole = new Report(plan, directory);
  whole.add(good);
  expect(whole.content.complete).toBe(false);
  whole.add(bad);
  await whole.write();
  const read = (name: string): string => readFileSync(path.join(directory, name), 'utf8');
  expect(JSON.parse(read('scenario.json'))).toMatchObject({
    title: 'A & B',
    complete: true,
    passed: 1,
    failed: 1,
    streams,
    faults: [{ fault: 'r1-r2 down' }, { fault: '<r2>-r3 (2) down', verdict: 'failed' }],
  });
  const matrix = read('matrix.svg');
  for (const text of [
    'A &amp; B',
    '&lt;r2&gt;-r3 (2) down',
    '✕ 2.30 s',
    '&lt; 0.02 s',
    '0.24 s',
    'h1 → h2 IPv6',
  ])
    expect(matrix).toContain(text);
  expect(matrix.match(/class="cell bad"/g)).toHaveLength(1);
  const timeline = read('timeline.svg');
  expect(timeline.match(/class="gap"/g)).toHaveLength(2);
  expect(timeline).toContain('11.5 s');
  expect(`${matrix}${timeline}`).not.toMatch(/NaN|undefined|Infinity/);
});
