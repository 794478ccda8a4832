/** A lab that is up right here: its driver is an object of the test, and programs of the test are in place of ip(8), tc(8) and tcpdump(1). */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LabCli } from '../../../../src/labs/drivers/lab-driver.ts';
import type { NodeDriver } from '../../../../src/labs/drivers/node-driver.ts';
import { collectExec, type ExecRequest } from '../../../../src/labs/nodes/exec.ts';
import { LabNodes, nodePlaces, type LabNodesDeps } from '../../../../src/labs/nodes/lab-nodes.ts';
import { eventually } from '../../../support/eventually.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { writeProgram } from '../../../support/programs.ts';
import { sessionHere } from '../../../support/session-here.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const r1 = { lab: 'demo', node: 'r1' };
const nobody = { lab: 'demo', node: 'nobody' };
const address = { cli: '/opt/netlab', ...r1, entry: { device: 'frr' } };
const size = { columns: 80, rows: 24 };
const all = { follow: false, tail: 3 };
const sleeps: ExecRequest = { command: ['sleep', '1000'], timeoutMs: 60_000, stdin: '' };
const packets = { ifname: 'eth1', filter: '', packets: 1, timeMs: 60_000, snaplen: 128 };
const slow = { delayMs: 5, jitterMs: 0, lossPercent: 0, duplicatePercent: 0, corruptPercent: 0, rateKbps: 0 };

let directory: string;
let here: ReturnType<typeof sessionHere>;
let nodes: LabNodes;
/** What the driver was asked, with the node. */
let asked: unknown[];

/** Says on each way into the node which one it is, and of whom, in the environment. */
const driver: NodeDriver = {
  inside: (node) => (asked.push(node), ['env', 'WAY=inside']),
  inNetwork: (node) => (asked.push(node), ['env', 'WAY=network']),
  log: (...given) => (asked.push(given), ['sh', '-c', 'echo "log $WAY $USER_OF_JOBS"']),
  terminal: async (node) => {
    asked.push(node);
    return { command: ['sh', '-c', 'echo "at $USER_OF_JOBS"; read -r _'], inside: [] };
  },
};

function nodesOf(maxNodeSessions: number, maxTerminals: number): LabNodes {
  const status: LabNodesDeps['status'] = {
    instance: async (_id, format) => Promise.resolve({ body: Buffer.from('{}'), format, ageMs: 0 }),
    nodeEntriesOf: () => ({ r1: address.entry }),
  };
  return new LabNodes({
    status,
    cli: () => ({ file: address.cli, driver: { nodes: driver } }) as Partial<LabCli> as LabCli,
    env: () => ({ ...here.session.env, WAY: 'none' }),
    words: ['env', 'USER_OF_JOBS=alice'],
    places: nodePlaces({ maxNodeSessions, maxTerminals }),
  });
}

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'case-'));
  const note = `echo "$WAY $USER_OF_JOBS \${0##*/} $*" >>'${directory}/runs'`;
  writeProgram(path.join(directory, 'ip'), `echo '[{"ifname":"eth1"}]'`);
  writeProgram(path.join(directory, 'tcpdump'), `${note}; echo 'listening on eth1' >&2; echo packets`);
  writeProgram(path.join(directory, 'tc'), `${note}; case $* in *show*) cat '${directory}/qdiscs' ;; esac`);
  here = sessionHere({ env: { PATH: `${directory}:${process.env['PATH']}` } });
  asked = [];
  nodes = nodesOf(1, 1);
});

const runs = (): string[] => readFileSync(path.join(directory, 'runs'), 'utf8').trim().split('\n');
const setQdiscs = (qdiscs: unknown) => writeFileSync(path.join(directory, 'qdiscs'), JSON.stringify(qdiscs));
const netem = { kind: 'netem', root: true, options: { delay: { delay: 0.005, jitter: 0 } } };
const never = new AbortController().signal;

async function textOf(bytes: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const run = async (script: string) =>
  collectExec(await nodes.exec(r1, { ...sleeps, command: ['sh', '-c', script] }, never), 1024);

describe('into a node', () => {
  test('a command goes by the way inside, as the user of jobs', async () => {
    expect(await run('echo "$WAY $USER_OF_JOBS"; exit 3')).toMatchObject({
      output: 'inside alice\n',
      exitCode: 3,
    });
    expect(asked).toEqual([address]);
  });

  test('a capture goes by the way into its network', async () => {
    expect(await textOf(await nodes.capture(r1, packets, never))).toBe('packets\n');
    expect(runs()).toEqual(['network alice tcpdump -i eth1 --immediate-mode -U -w - -s 128 -c 1 --']);
    expect(asked).toEqual([address]);
  });

  test('a log goes by no way: a program of this machine prints it', async () => {
    expect(await textOf(await nodes.log(r1, all, never))).toBe('log none alice\n');
    expect(asked).toEqual([[address, all]]);
  });

  test('an impairment goes by the way into its network, is looked at, set and taken away', async () => {
    setQdiscs([]);
    expect(await nodes.impairment(r1, 'eth1', never)).toBeUndefined();
    setQdiscs([netem]);
    expect(await nodes.impairment(r1, 'eth1', never)).toEqual(slow);
    expect(await nodes.impair(r1, 'eth1', slow, never)).toEqual(slow);
    await nodes.mend(r1, 'eth1', never);
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
    await nodes.checkTerminal(r1);
    const terminal = await nodes.terminal(r1, size);
    let said = '';
    terminal.onOutput((bytes) => (said += bytes.toString()));
    await eventually('it is connected', () => said.includes('at alice'));
    expect(asked).toEqual([address]);
    await terminal.close();
  });
});

const ways: readonly (readonly [string, (name: typeof r1) => Promise<unknown>])[] = [
  ['a command', async (name) => nodes.exec(name, sleeps, never)],
  ['a capture', async (name) => nodes.capture(name, packets, never)],
  ['a log', async (name) => nodes.log(name, all, never)],
  ['an impairment', async (name) => nodes.impairment(name, 'eth1', never)],
  ['a terminal', async (name) => nodes.terminal(name, size)],
  ['the question whether a terminal may be opened', async (name) => nodes.checkTerminal(name)],
];

test.each(ways)('%s is for a node that is there', async (_what, enter) => {
  expect(await failureOf(enter(nobody))).toMatchObject({ code: 'node-not-found' });
  expect(asked).toEqual([]);
});

describe('a place', () => {
  const isFree = async (): Promise<void> => void (await run('true'));

  test('is had by one session, and by another one when that has ended', async () => {
    const abort = new AbortController();
    const { ended } = await nodes.exec(r1, sleeps, abort.signal);
    for (const [, enter] of ways.slice(0, 4))
      expect(await failureOf(enter(r1))).toMatchObject({
        code: 'too-many-sessions',
        message: '1 command, log or capture is open already (LAB_API_MAX_NODE_SESSIONS)',
      });
    abort.abort();
    expect(await ended).toMatchObject({ reason: 'canceled' });
    await isFree();
  });

  test('is given back by a capture and by a log that have ended', async () => {
    await textOf(await nodes.capture(r1, packets, never));
    await eventually('a place', async () => textOf(await nodes.log(r1, all, never)));
    await eventually('a place', async () => isFree().then(() => true));
  });

  test('is given back when an answer is there, or none can be had', async () => {
    setQdiscs([]);
    await nodes.impairment(r1, 'eth1', never);
    await nodes.mend(r1, 'eth1', never);
    expect(await failureOf(nodes.impairment(r1, 'eth9', never))).toMatchObject({
      code: 'interface-not-found',
    });
    expect(await failureOf(nodes.capture(r1, { ...packets, ifname: 'eth9' }, never))).toMatchObject({
      code: 'interface-not-found',
    });
    await isFree();
  });

  test('of a terminal is another one', async () => {
    const terminal = await nodes.terminal(r1, size);
    for (const [, enter] of ways.slice(4))
      expect(await failureOf(enter(r1))).toMatchObject({
        code: 'too-many-sessions',
        message: '1 terminal is open already (LAB_API_MAX_TERMINALS)',
      });
    await isFree();
    await terminal.close();
    await nodes.checkTerminal(r1);
  });

  test('is told of in the plural where there are more', async () => {
    nodes = nodesOf(0, 2);
    expect((await failureOf(nodes.exec(r1, sleeps, never))).message).toMatch(
      /^0 commands, logs and captures/,
    );
    const terminals = [await nodes.terminal(r1, size), await nodes.terminal(r1, size)];
    expect((await failureOf(nodes.checkTerminal(r1))).message).toMatch(/^2 terminals are/);
    await Promise.all(terminals.map(async (terminal) => terminal.close()));
  });
});
