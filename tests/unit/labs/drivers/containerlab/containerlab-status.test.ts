import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  containerlabStatus,
  starterOf,
} from '../../../../../src/labs/drivers/containerlab/containerlab-status.ts';
import type { LabEntries, LabEntry } from '../../../../../src/labs/drivers/status-driver.ts';
import type { RunResult } from '../../../../../src/labs/system/run.ts';
import { container, recorded } from '../../../../support/containerlab-recorded.ts';
import { printed } from '../../../../support/run-result.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const printedAtMs = Date.parse('2026-11-22T19:33:10Z');
const status = recorded('status.json');

async function listed(stdout: string, changes: Partial<RunResult> = {}): Promise<LabEntries> {
  const { entries } = await containerlabStatus.allJson((args) => {
    expect(args).toEqual(['inspect', '--details', '--format', 'json', '--all']);
    return Promise.resolve(printed(stdout, changes));
  });
  return entries;
}

async function entryOf(stdout: string): Promise<LabEntry> {
  const [entry] = (await listed(stdout)).values();
  if (entry === undefined) throw new Error('there is no lab');
  return entry;
}

describe('all labs', () => {
  test('as containerlab 0.79 prints them, byte for byte', async () => {
    const { body, entries } = await containerlabStatus.allJson(() => Promise.resolve(printed(status)));
    expect(body).toEqual(Buffer.from(status));
    expect([...entries.keys()]).toEqual(['ct-demo']);
    const entry = await entryOf(status);
    expect(containerlabStatus.directoryOf(entry)).toBe('/labs/demo');
    expect(containerlabStatus.summaryOf(entry)).toEqual({
      name: 'ct-demo',
      provider: 'clab',
      startedAtMs: null,
    });
    // An entry is the same as long as its lab is: without the words that tell the time (`Up 3 seconds`).
    const words = /^ +"Status": ".*",\n/gm;
    expect(containerlabStatus.documentOf(entries)).toEqual(JSON.parse(status.replaceAll(words, '')));
    expect(containerlabStatus.documentOf(new Map())).toEqual({});
  });

  test('none are a document too', async () => {
    expect(await listed(recorded('status-none.json'))).toEqual(new Map());
  });

  test('what is no list of containers is left out', async () => {
    expect([...(await listed('{"a": [], "b": {}, "c": 7}')).keys()]).toEqual(['a']);
  });

  test.each<[string, Partial<RunResult>, string, RegExp]>([
    ['no JSON', {}, 'lab-cli-failed', /not a status document: no JSON$/],
    [
      '',
      { exitCode: 1, stderr: Buffer.from(recorded('errors/no-docker-inspect.log')) },
      'lab-cli-failed',
      /code 1/,
    ],
    ['', { ended: 'timeout' }, 'lab-cli-timeout', /LAB_API_STATUS_TIMEOUT/],
  ])('%j, %j are a failure', async (stdout, changes, code, message) => {
    expect(await failureOf(listed(stdout, changes))).toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});

describe('one lab', () => {
  const source = (answer: RunResult, seen: string[][] = []) => ({
    entries: () => Promise.reject(new Error('not asked')),
    run: (args: readonly string[]) => {
      seen.push([...args]);
      return Promise.resolve(answer);
    },
  });

  test('is told byte for byte, in JSON and as text', async () => {
    const seen: string[][] = [];
    const good = source(printed(status), seen);
    expect(await containerlabStatus.instanceJson('ct-demo', good)).toEqual(Buffer.from(status));
    expect(await containerlabStatus.instanceText('ct-demo', good)).toEqual(Buffer.from(status));
    expect(await containerlabStatus.allText(good)).toEqual(Buffer.from(status));
    expect(seen).toEqual([
      ['inspect', '--details', '--format', 'json', '--name', 'ct-demo'],
      ['inspect', '--name', 'ct-demo'],
      ['inspect', '--all'],
    ]);
  });

  test('that is not there, in the words of containerlab', async () => {
    const unknown = source(printed('', { exitCode: 1, stderr: Buffer.from(recorded('status-unknown.txt')) }));
    for (const ask of [containerlabStatus.instanceJson, containerlabStatus.instanceText])
      expect(await failureOf(ask('ct-nope', unknown))).toMatchObject({ code: 'instance-not-found' });
  });

  test('that containerlab is too slow to report is another failure', async () => {
    const slow = source(printed('', { ended: 'timeout' }));
    expect(await failureOf(containerlabStatus.instanceText('x', slow))).toMatchObject({
      code: 'lab-cli-timeout',
    });
  });
});

describe('the nodes', () => {
  const nodesOf = (document: string) => containerlabStatus.nodesOf(Buffer.from(document), printedAtMs);

  test('as containerlab 0.79 tells them', () => {
    const nodes = nodesOf(status);
    expect(nodes.map(({ name }) => name)).toEqual(['h1', 'h2', 'r1', 'r2']);
    expect(nodes[0]).toEqual({
      name: 'h1',
      device: 'linux',
      provider: 'clab',
      image: 'python:3.13-alpine',
      address: '172.20.20.7',
      state: 'up',
      since: { atMs: printedAtMs - 1_000, withinMs: 1_000 },
      container: { name: 'clab-ct-demo-h1', partOf: null, there: { isRunning: true, pid: 27523 } },
    });
  });

  test('one that was stopped has no address, and is down', () => {
    const down = nodesOf(recorded('status-stopped.json')).filter(({ state }) => state !== 'up');
    expect(down).toMatchObject([{ name: 'h2', state: 'down', address: null, since: null }]);
  });

  test('have the names that the topology gives them, whatever stands before those of their containers', () => {
    expect(nodesOf(recorded('status-no-prefix.json')).map(({ name }) => name)).toEqual(['ct-a', 'ct-b']);
    const entries = containerlabStatus.nodeEntriesOf(Buffer.from(recorded('status-no-prefix.json')));
    expect(entries).toMatchObject({ 'ct-a': { container: 'ct-a', kind: 'linux' } });
  });

  test('have what is needed to get into them', () => {
    expect(containerlabStatus.nodeEntriesOf(Buffer.from(status))).toMatchObject({
      r1: { container: 'clab-ct-demo-r1', kind: 'linux', state: 'running' },
      h2: { container: 'clab-ct-demo-h2' },
    });
  });

  test.each<[object, object]>([
    [
      { Names: ['x'], Labels: { 'clab-node-name': 'r1' } },
      { name: 'r1', device: null },
    ],
    [{ Names: ['x'], Labels: { 'clab-node-longname': 'clab-a-r1' } }, { name: 'clab-a-r1' }],
    [{ Names: ['x'], NetworkSettings: { IPv4addr: '', IPv6addr: '3fff::2' } }, { address: '3fff::2' }],
    [
      { Names: ['x'], Image: 7, State: null, Labels: [], NetworkSettings: 'none' },
      { name: 'x', image: null, state: 'down', address: null, since: null },
    ],
  ])('%j, beside others that are none, is %j', (printedContainer, expected) => {
    expect(nodesOf(JSON.stringify({ a: [null, printedContainer, {}, { Names: [''] }] }))).toMatchObject([
      expected,
    ]);
  });

  test.each(['', 'no JSON', '[]', '{}', '{"a": [7, {}, {"Labels": 7}]}', '{"a": {"b": []}}'])(
    'of %j are none',
    (text) => {
      expect(nodesOf(text)).toEqual([]);
      expect(containerlabStatus.nodeEntriesOf(Buffer.from(text))).toEqual({});
    },
  );
});

test('the directory of a lab is that of its first node directory, else that of its topology', () => {
  const told = (...labels: readonly object[]) =>
    containerlabStatus.directoryOf({ containers: labels.map((Labels) => ({ Names: ['x'], Labels })) });
  const file = { 'clab-topo-file': '/topologies/demo.clab.yml' };
  expect(told({}, file, { 'clab-node-lab-dir': '/labs/demo/clab-demo/r1' })).toBe('/labs/demo');
  expect(told({}, file)).toBe('/topologies');
  expect(told({})).toBeUndefined();
});

describe('how far a lab is', () => {
  let workdir: string;
  let dataFile: string;

  beforeEach(() => {
    workdir = mkdtempSync(path.join(root, 'lab-'));
    dataFile = path.join(workdir, 'clab-demo/topology-data.json');
    mkdirSync(path.dirname(dataFile));
  });

  const lab = (...containers: readonly unknown[]): LabEntry => ({ name: 'demo', containers });
  const running = () => container('r1', workdir, 'demo');
  const exited = () =>
    container('r2', workdir, 'demo', { State: 'exited', Status: 'Exited (0) 2 minutes ago' });

  test('it starts until containerlab has written its file, then it is started', () => {
    const entry = lab(running(), exited());
    expect(containerlabStatus.stateOf(entry)).toBe('starting');
    expect(containerlabStatus.startOf(entry)).toBeUndefined();
    writeFileSync(dataFile, '{}');
    expect(containerlabStatus.stateOf(entry)).toBe('started');
    const { mtimeMs } = statSync(dataFile);
    expect(containerlabStatus.startOf(entry)).toEqual({ mark: expect.any(String), atMs: mtimeMs });
    expect(containerlabStatus.summaryOf(entry)).toMatchObject({ startedAtMs: mtimeMs });
  });

  test('another start has another mark', () => {
    writeFileSync(dataFile, '{}');
    const first = containerlabStatus.startOf(lab(running()))?.mark;
    expect(containerlabStatus.startOf(lab(running()))?.mark).toBe(first);
    // A directory of the old name, made anew: the file in it may be as old as the clock is coarse.
    writeFileSync(`${dataFile}.new`, '{}');
    rmSync(dataFile);
    writeFileSync(dataFile, '{}');
    expect(containerlabStatus.startOf(lab(running()))?.mark).not.toBe(first);
  });

  test('after the end of the machine no container of it runs', () => {
    writeFileSync(dataFile, '{}');
    expect(containerlabStatus.stateOf(lab(exited()))).toBe('missing');
  });

  test('is not told of a lab without containers, or with strange ones', () => {
    for (const entry of [lab(), {}, { containers: 7 }, lab(7)]) {
      expect(containerlabStatus.stateOf(entry)).toBe('other');
      expect(containerlabStatus.startOf(entry)).toBeUndefined();
      expect(containerlabStatus.directoryOf(entry)).toBeUndefined();
    }
    expect(containerlabStatus.summaryOf({})).toEqual({ name: null, provider: 'clab', startedAtMs: null });
  });

  test('it is of netlab, whose files are beside its topology', () => {
    expect(starterOf(lab(running()))).toBeUndefined();
    writeFileSync(path.join(workdir, 'netlab.snapshot.pickle'), '');
    expect(starterOf(lab(running()))).toBeUndefined();
    const ofNetlab = JSON.parse(JSON.stringify(running()).replace('demo.clab.yml', 'clab.yml')) as object;
    expect(starterOf(lab(ofNetlab))).toBe('netlab');
    expect(starterOf(lab())).toBeUndefined();
  });
});
