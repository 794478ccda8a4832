import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import type { LabDriver } from '../../../../src/labs/drivers/lab-driver.ts';
import type { LabState } from '../../../../src/labs/drivers/status-driver.ts';
import { nodePlaces } from '../../../../src/labs/nodes/node-places.ts';
import { LabReady } from '../../../../src/labs/ready/lab-ready.ts';
import type { ListedLab, ListedNode } from '../../../../src/labs/status/lab-list.ts';
import { unknownInstance } from '../../../../src/labs/drivers/status-failure.ts';
import { AppError } from '../../../../src/lib/app-error.ts';
import { eventually } from '../../../support/eventually.ts';
import { printed } from '../../../support/run-result.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
/** The words of the lab CLI, of Docker and of the nodes. */
let state: LabState;
let nodes: ListedNode[];
let failure: AppError | undefined;
/** Why the lab CLI reports no nodes, and why Docker does not answer. */
let problem: string | null;
let doubt: string | null;
/** Changes with each start of the lab. */
let version: string;
/** By container: the process id and the health. */
let containers: Record<string, readonly [pid: number, health?: string]>;
let shutdown: AbortController;
/** The output of the node, and a line for each question to it. */
const answer = path.join(root, 'answer');
const asked = path.join(root, 'asked');

const unknown = { image: null, address: null, sinceMs: null };
const up = { ...unknown, device: 'frr', provider: 'clab', state: 'up' } as const;
const node = (name: string, changes: Partial<ListedNode> = {}): ListedNode => {
  return { ...up, name, container: `clab-${name}`, ...changes };
};
const told = { cli: 'netlab', name: 'demo', provider: 'clab', runtime: null, startedAtMs: null } as const;
const lab = (): ListedLab => {
  const entry = { state, start: version };
  return { ...told, id: 'default', state, workdir: '/labs/demo', nodes, problem, entry };
};

/** Leads into the node: prints what the node would print, whatever is to run there. */
const way = ['sh', '-c', `echo "lab: in the node" >&2; echo asked >>'${asked}'; cat '${answer}'`, 'node'];

function readiness(isReadyWhenUp = false): LabReady {
  const driver = {
    status: { stateOf: (entry: { state: LabState }) => entry.state },
    nodes: { inside: () => way, ...(isReadyWhenUp && { isReadyWhenUp: true }) },
  } as unknown as LabDriver;
  return new LabReady({
    list: {
      one: async (id) => {
        if (failure !== undefined) throw failure;
        return Promise.resolve({ value: { ...lab(), id }, ageMs: 0 });
      },
    },
    driver: () => driver,
    look: async () => {
      const lines = Object.entries(containers).map(
        ([name, [pid, health = '']]) => `/${name}\trunning\t${pid}\t${health}\n`,
      );
      if (doubt !== null) return Promise.resolve(printed('', { exitCode: 1, stderr: Buffer.from(doubt) }));
      return Promise.resolve(printed(lines.join('')));
    },
    nodes: {
      status: {
        instance: async () => Promise.resolve({ body: Buffer.alloc(0), format: 'json', ageMs: 0 }),
        nodeEntriesOf: () => Object.fromEntries(nodes.map(({ name }) => [name, {}])),
      },
      cli: () => ({ name: 'netlab', file: '/netlab', binDirs: [], driver }),
      env: () => ({ PATH: process.env['PATH'] ?? '' }),
      words: [],
      places: nodePlaces({ maxNodeSessions: 0, maxTerminals: 0 }),
    },
    shutdown: shutdown.signal,
  });
}

const wanted = 'wanted watchfrr -d zebra ospfd\n';
const answers = (...daemons: string[]): void =>
  writeFileSync(answer, `${wanted}answering ${daemons.join(' ')}\n`);
const timesAsked = (): number => readFileSync(asked, 'utf8').split('\n').length - 1;
const unlimited = { ms: 60_000, signal: new AbortController().signal };
const { signal: never } = unlimited;
const reasons = (ready: LabReady) => ready.of(lab()).nodes.map(({ reason }) => reason);

beforeEach(() => {
  [state, failure, version, shutdown] = ['started', undefined, '1', new AbortController()];
  [problem, doubt] = [null, null];
  nodes = [node('r1')];
  containers = { 'clab-r1': [41] };
  writeFileSync(asked, '');
  answers('zebra', 'ospfd');
});

test('a node that was not looked at is neither ready nor late', async () => {
  const ready = readiness();
  expect(ready.of(lab())).toEqual({
    ready: null,
    nodes: [{ ready: null, reason: 'it was not checked yet', isUnseen: true }],
  });
  await ready.seen(lab());
  expect(ready.of(lab())).toMatchObject({ ready: true, nodes: [{ ready: true, reason: null }] });
});

test('a late node holds the lab up until it answers', async () => {
  const ready = readiness();
  answers('zebra');
  const late: string[] = [];
  const onLook = (): void => {
    late.push(reasons(ready)[0] ?? '');
    answers('zebra', 'ospfd');
  };
  expect(await ready.settled('default', { ...unlimited, onLook })).toBe('settled');
  expect(late).toEqual(['ospfd of FRR does not answer', '']);
  expect(ready.of(lab()).ready).toBe(true);
});

test('a node that was ready is not asked again, unless it was started again', async () => {
  const ready = readiness();
  await ready.settled('default', unlimited);
  answers();
  version = '2';
  await ready.settled('default', unlimited);
  expect([timesAsked(), ready.known(lab())]).toEqual([1, true]);
  containers = { 'clab-r1': [42] };
  version = '3';
  ready.known(lab());
  await eventually('r1 is late', () => reasons(ready)[0] === 'zebra, ospfd of FRR do not answer');
  shutdown.abort();
});

test('the version changes when a lab has become ready, and not while nothing changes', async () => {
  const ready = readiness();
  const versions = [ready.version];
  for (version of ['1', '2']) {
    await ready.settled('default', unlimited);
    versions.push(ready.version);
  }
  expect(versions).toEqual(['0', '1', '1']);
});

test('a node that hangs does not keep back the others', async () => {
  const ready = readiness();
  nodes = [node('r1'), node('h1', { state: 'down' }), node('sw', { state: 'unknown' })];
  // The reader of a pipe that nothing writes to waits.
  rmSync(answer);
  expect(spawnSync('mkfifo', [answer]).status).toBe(0);
  ready.known(lab());
  await eventually('r1 was asked', () => timesAsked() === 1);
  expect(ready.of(lab())).toMatchObject({
    ready: false,
    nodes: [{ isUnseen: true }, { ready: false, reason: 'it is down' }, { ready: null }],
  });
  shutdown.abort();
  rmSync(answer);
});

test('where nodes are ready as soon as they are up, none is asked', async () => {
  const ready = readiness(true);
  await ready.settled('default', unlimited);
  expect([timesAsked(), ready.of(lab()).ready]).toEqual([0, true]);
});

test('the health that Docker tells decides, and may change', async () => {
  const ready = readiness();
  nodes = [node('r1', { device: 'ceos' })];
  containers = { 'clab-r1': [41, 'starting'] };
  await ready.settled('default', {
    ...unlimited,
    onLook: () => {
      containers = { 'clab-r1': [41, 'healthy'] };
    },
  });
  expect(ready.of(lab()).ready).toBe(true);
  containers = { 'clab-r1': [41, 'unhealthy'] };
  version = '2';
  ready.known(lab());
  await eventually('r1 is unhealthy', () => reasons(ready)[0] === 'Docker says: unhealthy');
  shutdown.abort();
});

test('nodes that cannot be checked do not hold a lab up', async () => {
  const ready = readiness();
  nodes = [node('r1', { device: 'ceos' }), node('r2', { state: 'unknown' })];
  await ready.settled('default', unlimited);
  expect(ready.of(lab())).toEqual({
    ready: null,
    nodes: [
      { ready: null, reason: 'it has no address to ask', mark: expect.anything() },
      { ready: null, reason: 'its state is unknown' },
    ],
  });
});

test('a lab that starts is not ready, and one that is gone is waited for no longer', async () => {
  const ready = readiness();
  state = 'starting';
  expect([ready.known(lab()), ready.of(lab()).ready]).toEqual([false, false]);
  await ready.settled('default', {
    ...unlimited,
    onLook: () => {
      failure = unknownInstance('default');
    },
  });
  expect(ready.known({ id: 'default', entry: { state: 'started' } })).toBe(null);
  shutdown.abort();
});

test('that the lab CLI fails for a while is no end of the wait', async () => {
  const ready = readiness();
  await ready.settled('default', unlimited);
  failure = new AppError('lab-cli-failed', 'it has failed');
  let looks = 0;
  await ready.settled('default', {
    ...unlimited,
    onLook: () => {
      looks += 1;
      if (looks === 2) failure = undefined;
    },
  });
  expect([looks, ready.of(lab()).ready]).toEqual([3, true]);
});

test('untilReady says which nodes are late when its time is over', async () => {
  const ready = readiness();
  nodes = [node('r1'), node('r2', { state: 'down' })];
  answers('zebra');
  const said: string[] = [];
  const how = { seconds: 0.8, stopped: never, say: (line: string) => said.push(line) };
  const late = 'r1 (ospfd of FRR does not answer), r2 (it is down)';
  expect(await ready.untilReady('default', { ...how, endedMs: Date.now() })).toBe(
    `not all nodes were ready 0.8 s after the lab was up: ${late}`,
  );
  expect(said).toEqual([`waiting for nodes to be ready: ${late}`]);
  shutdown.abort();
});

test('untilReady says when all are ready, if it had to wait', async () => {
  const ready = readiness();
  const said: string[] = [];
  const say = (line: string): void => {
    said.push(line);
    answers('zebra', 'ospfd');
  };
  const how = { seconds: 60, endedMs: Date.now(), stopped: never, say };
  expect(await ready.untilReady('default', how)).toBe(undefined);
  answers('zebra');
  containers = { 'clab-r1': [43] };
  expect([said, await ready.untilReady('default', how)]).toEqual([
    ['waiting for nodes to be ready: r1 (ospfd of FRR does not answer)', 'all nodes are ready'],
    undefined,
  ]);
});

test('untilReady rejects when the job is stopped', async () => {
  const ready = readiness();
  answers('zebra');
  const stop = new AbortController();
  const how = { seconds: 60, endedMs: Date.now(), stopped: stop.signal, say: () => stop.abort() };
  await expect(ready.untilReady('default', how)).rejects.toThrow('stopped');
  shutdown.abort();
});

test.each([
  ['the lab CLI does not report the nodes', () => ([problem, nodes] = ['it has failed', []])],
  ['Docker does not answer', () => (doubt = 'Cannot connect to the Docker daemon')],
  ['a program cannot be started', () => (failure = new Error('spawn EAGAIN') as AppError)],
])('while %s, a lab is not ready', async (_title, fail) => {
  const ready = readiness();
  fail();
  const how = { seconds: 0.2, endedMs: Date.now(), stopped: never, say: () => undefined };
  expect(await ready.untilReady('default', how)).toMatch(
    /^not all nodes were ready 0\.2 s after the lab was up: .*(it has failed|Cannot connect|EAGAIN)/,
  );
  shutdown.abort();
});

test('a lab that goes away while a job waits for it is no success', async () => {
  const ready = readiness();
  answers('zebra');
  const say = (): void => {
    failure = unknownInstance('default');
  };
  const how = { seconds: 60, endedMs: Date.now(), stopped: never, say };
  expect(await ready.untilReady('default', how)).toBe('the lab went away before its nodes were ready');
});

test('a lab may be called as an event is', async () => {
  const ready = readiness();
  const ends = ['error', 'default'].map(async (id) => ready.settled(id, unlimited));
  expect(await Promise.all(ends)).toEqual(['settled', 'settled']);
});
