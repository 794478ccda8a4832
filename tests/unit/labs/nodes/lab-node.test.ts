/** A lab that is up right here: its driver is an object of the test, and programs of the test are in place of ip(8), tc(8) and tcpdump(1). */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import type { LabCli } from '../../../../src/labs/drivers/lab-driver.ts';
import type { NodeDriver } from '../../../../src/labs/drivers/node-driver.ts';
import { collectExec, type ExecRequest } from '../../../../src/labs/nodes/exec.ts';
import { LabNode, type LabNodeDeps } from '../../../../src/labs/nodes/lab-node.ts';
import { nodePlaces } from '../../../../src/labs/nodes/node-places.ts';
import { AppError } from '../../../../src/lib/app-error.ts';
import type { Mapping } from '../../../../src/lib/mapping.ts';
import { eventually } from '../../../support/eventually.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { writeProgram } from '../../../support/programs.ts';
import { sessionHere } from '../../../support/session-here.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const r1 = { lab: 'demo', node: 'r1' };
const nobody = { lab: 'demo', node: 'nobody' };
const address = { cli: '/opt/netlab', ...r1, entry: { device: 'frr' }, isOtherUser: true };
const size = { columns: 80, rows: 24 };
const all = { follow: false, tail: 3 };
const sleeps: ExecRequest = { command: ['sleep', '1000'], timeoutMs: 60_000, stdin: '' };
const packets = { ifname: 'eth1', filter: '', packets: 1, timeMs: 60_000, snaplen: 128 };
const slow = { delayMs: 5, jitterMs: 0, lossPercent: 0, duplicatePercent: 0, corruptPercent: 0, rateKbps: 0 };

let directory: string;
let here: ReturnType<typeof sessionHere>;
let nodes: ReturnType<typeof nodesOf>;
/** What the driver was asked, with the node. */
let asked: unknown[];

/** Says on each way into the node which one it is, and of whom, in the environment. */
const driver: NodeDriver = {
  inside: (node) => (asked.push(node), ['env', 'WAY=inside']),
  inNetwork: (node) => (asked.push(node), ['env', 'WAY=network']),
  configuration: (node) => (
    asked.push(node),
    { inside: ['env', 'WAY=inside'], program: ['sh', '-c', 'echo "of $WAY $USER_OF_JOBS"'] }
  ),
  log: (...given) => (asked.push(given), ['sh', '-c', 'echo "log $WAY $USER_OF_JOBS"']),
  terminal: async (node) => {
    asked.push(node);
    return { command: ['sh', '-c', 'echo "at $USER_OF_JOBS"; read -r _'], inside: [] };
  },
};

/** What the document of the lab says of its nodes. */
let entries: Mapping | undefined;

function nodesOf(maxNodeSessions: number, maxTerminals: number, assertMayChange?: () => void) {
  const status: LabNodeDeps['status'] = {
    instance: async (_id, format) => Promise.resolve({ body: Buffer.from('{}'), format, ageMs: 0 }),
    nodeEntriesOf: () => entries,
  };
  const deps: LabNodeDeps = {
    status,
    cli: () => ({ file: address.cli, driver: { nodes: driver } }) as Partial<LabCli> as LabCli,
    env: () => ({ ...here.session.env, WAY: 'none' }),
    words: ['env', 'USER_OF_JOBS=alice'],
    places: nodePlaces({ maxNodeSessions, maxTerminals }),
  };
  return (name: typeof r1) => new LabNode(deps, name, assertMayChange);
}

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'case-'));
  const note = `echo "$WAY $USER_OF_JOBS \${0##*/} $*" >>'${directory}/runs'`;
  writeProgram(path.join(directory, 'ip'), `echo '[{"ifname":"eth1"}]'`);
  writeProgram(path.join(directory, 'tcpdump'), `${note}; echo 'listening on eth1' >&2; echo packets`);
  // tc(8) of iproute2 ends with 1 for an interface that is not there.
  const show = `*eth9*) echo 'Cannot find device "eth9"' >&2; exit 1 ;; *show*) cat '${directory}/qdiscs' ;;`;
  writeProgram(path.join(directory, 'tc'), `${note}; case $* in ${show} esac`);
  here = sessionHere({ env: { PATH: `${directory}:${process.env['PATH']}` } });
  asked = [];
  entries = { r1: address.entry };
  nodes = nodesOf(1, 1);
});

const runs = (): string[] => readFileSync(path.join(directory, 'runs'), 'utf8').trim().split('\n');
const setQdiscs = (qdiscs: unknown) => writeFileSync(path.join(directory, 'qdiscs'), JSON.stringify(qdiscs));
const netem = { kind: 'netem', root: true, options: { delay: { delay: 0.005, jitter: 0 } } };
const never = new AbortController().signal;

const run = async (script: string) =>
  collectExec(await nodes(r1).exec({ ...sleeps, command: ['sh', '-c', script] }, never), 1024);

describe('into a node', () => {
  test('a command goes by the way inside, as the user of jobs', async () => {
    expect(await run('echo "$WAY $USER_OF_JOBS"; exit 3')).toMatchObject({
      output: 'inside alice\n',
      exitCode: 3,
    });
    expect(asked).toEqual([address]);
  });

  test('a capture goes by the way into its network', async () => {
    expect(await textOf(await nodes(r1).capture(packets, never))).toBe('packets\n');
    expect(runs()).toEqual(['network alice tcpdump -i eth1 --immediate-mode -U -w - -s 128 -c 1 --']);
    expect(asked).toEqual([address]);
  });

  test('a log goes by no way: a program of this machine prints it', async () => {
    expect(await textOf(await nodes(r1).log(all, never))).toBe('log none alice\n');
    expect(asked).toEqual([[address, all]]);
  });

  test('a configuration goes by the way of its program', async () => {
    expect((await nodes(r1).configuration(never)).toString()).toBe('of inside alice\n');
    expect(asked).toEqual([address]);
  });

  test('an impairment goes by the way into its network, is looked at, set and taken away', async () => {
    setQdiscs([]);
    expect(await nodes(r1).impairment('eth1', never)).toBeUndefined();
    setQdiscs([netem]);
    expect(await nodes(r1).impairment('eth1', never)).toEqual(slow);
    expect(await nodes(r1).impair('eth1', slow, never)).toEqual(slow);
    await nodes(r1).mend('eth1', never);
    const look = 'network alice tc -json qdisc show dev eth1';
    expect(runs()).toEqual([
      look,
      look,
      'network alice tc qdisc replace dev eth1 root netem delay 5ms',
      look,
      look,
      'network alice tc qdisc del dev eth1 root',
    ]);
  });

  test('a person is connected, as the user of jobs', async () => {
    await nodes(r1).checkTerminal();
    const terminal = await nodes(r1).terminal(size);
    let said = '';
    terminal.onOutput((bytes) => (said += bytes.toString()));
    await eventually('it is connected', () => said.includes('at alice'));
    expect(asked).toEqual([address]);
    await terminal.close();
  });
});

const ways: readonly (readonly [string, (name: typeof r1) => Promise<unknown>])[] = [
  ['a command', async (name) => nodes(name).exec(sleeps, never)],
  ['a capture', async (name) => nodes(name).capture(packets, never)],
  ['a configuration', async (name) => nodes(name).configuration(never)],
  ['a log', async (name) => nodes(name).log(all, never)],
  ['an impairment', async (name) => nodes(name).impairment('eth1', never)],
  ['a terminal', async (name) => nodes(name).terminal(size)],
  ['the question whether a terminal may be opened', async (name) => nodes(name).checkTerminal()],
];

test.each(ways)('%s is for a node that is there', async (_what, enter) => {
  expect(await failureOf(enter(nobody))).toMatchObject({ code: 'node-not-found' });
  expect(asked).toEqual([]);
});

test.each<[string, Mapping | undefined, string, string]>([
  ['r3', { r1: {}, r2: {} }, 'node-not-found', 'the lab demo has no node "r3"; its nodes are r1, r2'],
  ['__proto__', { r1: {} }, 'node-not-found', 'the lab demo has no node "__proto__"; its nodes are r1'],
  ['r1', { r1: 'up' }, 'node-not-found', 'the lab demo has no node "r1"; its nodes are r1'],
  ['r1', undefined, 'lab-not-up', 'the lab demo is not up, so its nodes cannot be entered'],
])('node %j of a lab with %j: %s', async (node, nodesOfLab, code, message) => {
  entries = nodesOfLab;
  expect(await failureOf(nodes({ lab: 'demo', node }).checkTerminal())).toMatchObject({ code, message });
});

test.each([
  [20, ', n19'],
  [21, ', n19, …'],
])('of %i nodes, the error lists twenty', async (count, end) => {
  entries = Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, {}]));
  expect((await failureOf(nodes(nobody).checkTerminal())).message.endsWith(end)).toBe(true);
});

test('who may not change the lab does not get into its nodes, and reads all the same', async () => {
  setQdiscs([]);
  nodes = nodesOf(8, 8, () => {
    throw new AppError('forbidden', 'no');
  });
  const changes = [
    ...ways.filter(([what]) => what !== 'a log' && what !== 'an impairment').map(([, enter]) => enter(r1)),
    nodes(r1).impair('eth1', slow, never),
    nodes(r1).mend('eth1', never),
  ];
  for (const change of changes) expect((await failureOf(change)).code).toBe('forbidden');
  expect(await nodes(r1).impairment('eth1', never)).toBeUndefined();
  expect(await textOf(await nodes(r1).log(all, never))).toBe('log none alice\n');
  expect(runs()).toEqual(['network alice tc -json qdisc show dev eth1']);
});

describe('a place', () => {
  const isFree = async (): Promise<void> => void (await run('true'));

  test('is had by one session, and by another one when that has ended', async () => {
    const abort = new AbortController();
    const { ended } = await nodes(r1).exec(sleeps, abort.signal);
    for (const [, enter] of ways.slice(0, 5))
      expect(await failureOf(enter(r1))).toMatchObject({
        code: 'too-many-sessions',
        message: '1 command, log or capture is open already (LAB_API_MAX_NODE_SESSIONS)',
        retryAfterSeconds: 5,
      });
    abort.abort();
    expect(await ended).toMatchObject({ reason: 'canceled' });
    await isFree();
  });

  test('is given back by a capture and by a log that have ended', async () => {
    await textOf(await nodes(r1).capture(packets, never));
    await eventually('a place', async () => textOf(await nodes(r1).log(all, never)));
    await eventually('a place', async () => isFree().then(() => true));
  });

  test('is given back when an answer is there, or none can be had', async () => {
    setQdiscs([]);
    await nodes(r1).impairment('eth1', never);
    await nodes(r1).mend('eth1', never);
    expect(await failureOf(nodes(r1).impairment('eth9', never))).toMatchObject({
      code: 'interface-not-found',
    });
    await isFree();
  });

  test('is given back once by a capture that fails after its start', async () => {
    writeProgram(path.join(directory, 'tcpdump'), 'exit 1');
    expect(await failureOf(nodes(r1).capture(packets, never))).toMatchObject({ code: 'lab-cli-failed' });
    const abort = new AbortController();
    const { ended } = await nodes(r1).exec(sleeps, abort.signal);
    expect(await failureOf(nodes(r1).log(all, never))).toMatchObject({ code: 'too-many-sessions' });
    abort.abort();
    await ended;
  });

  test('of a terminal is another one', async () => {
    const terminal = await nodes(r1).terminal(size);
    for (const [, enter] of ways.slice(5))
      expect(await failureOf(enter(r1))).toMatchObject({
        code: 'too-many-sessions',
        message: '1 terminal is open already (LAB_API_MAX_TERMINALS)',
      });
    await isFree();
    await terminal.close();
    await nodes(r1).checkTerminal();
  });

  test('is told of in the plural where there are more', async () => {
    nodes = nodesOf(0, 2);
    expect((await failureOf(nodes(r1).exec(sleeps, never))).message).toMatch(
      /^0 commands, logs and captures/,
    );
    const terminals = [await nodes(r1).terminal(size), await nodes(r1).terminal(size)];
    expect((await failureOf(nodes(r1).checkTerminal())).message).toMatch(/^2 terminals are/);
    await Promise.all(terminals.map(async (terminal) => terminal.close()));
  });
});
