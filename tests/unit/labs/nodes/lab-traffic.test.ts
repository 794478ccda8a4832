/** The containers of the test are real processes in network namespaces of their own; `look` is in place of Docker. */
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Look } from '../../../../src/labs/drivers/containers-there.ts';
import type { LabDriver } from '../../../../src/labs/drivers/lab-driver.ts';
import type { NodeDriver } from '../../../../src/labs/drivers/node-driver.ts';
import type { NodeStatus } from '../../../../src/labs/drivers/status-driver.ts';
import type { LabTopology } from '../../../../src/labs/drivers/topology.ts';
import { LabTraffic } from '../../../../src/labs/nodes/lab-traffic.ts';
import type { Mapping } from '../../../../src/lib/mapping.ts';
import { eventually } from '../../../support/eventually.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { testUnless } from '../../../support/requirements.ts';
import { printed } from '../../../support/run-result.ts';

const apart = ['--map-root-user', '--net'];

function whyNotApart(): string | undefined {
  try {
    execFileSync('unshare', [...apart, 'ip', 'link', 'add', 'eth1', 'type', 'veth', 'peer', 'name', 'eth2']);
    return undefined;
  } catch {
    return 'needs network namespaces';
  }
}
const { because, it } = testUnless(whyNotApart());

const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

/** A process in a network with these two ends of one link. */
async function container(...[a, b]: readonly [string, string]): Promise<ChildProcess & { pid: number }> {
  const script = `ip link add "$1" type veth peer name "$2" && ip link set "$1" up && ip link set "$2" up && echo ready && exec sleep 1000`;
  const child = spawn('unshare', [...apart, 'sh', '-c', script, 'sh', a, b], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  await once(child.stdout, 'data');
  return child as ChildProcess & { pid: number };
}

const unknown = {
  device: null,
  provider: null,
  image: null,
  address: null,
  state: 'up',
  since: null,
} as const;

function node(name: string, of: { partOf?: string; pid?: number } | null = {}): NodeStatus {
  if (of === null) return { ...unknown, name, container: null };
  const there = of.pid === undefined ? undefined : { isRunning: true, pid: of.pid };
  return { ...unknown, name, container: { name: `clab-${name}`, partOf: of.partOf ?? null, there } };
}

function topologyOf(...links: readonly (readonly (readonly [string, string])[])[]): LabTopology {
  const none = { ipv4: null, ipv6: null };
  const names = new Set(links.flat().map(([name]) => name));
  const untold = { device: null, role: null, groups: [], as: null, modules: [] };
  const facts = { ...untold, loopback: null, interfaces: [] };
  return {
    nodes: [...names].map((name) => ({ name, ...facts })),
    links: links.map((ends, index) => ({
      id: String(index + 1),
      type: 'p2p',
      prefix: none,
      endpoints: ends.map(([name, ifname]) => ({ node: name, interface: ifname, ...none })),
    })),
  };
}

let topology: LabTopology;
let nodes: readonly NodeStatus[];
/** By container, the pid that Docker tells. */
let pids: Readonly<Record<string, number>>;
let asked: (readonly string[])[];
let entries: Mapping | undefined;
let nowMs: number;
/** The time that it takes to read a topology. */
let topologyMs: number;
let version: string;
let topologiesRead: number;
let interfaces: NodeDriver['interfaces'];

const look: Look = async (program, args) => {
  const names = args.slice(4);
  asked.push([program, ...names]);
  const lines = names.flatMap((name) =>
    pids[name] === undefined ? [] : [`/${name}\trunning\t${pids[name]}\t`],
  );
  return Promise.resolve(printed(lines.join('\n')));
};

let traffic: LabTraffic;
beforeEach(() => {
  [nodes, pids, asked, entries, nowMs, topologyMs, version, topologiesRead] = [[], {}, [], {}, 0, 0, '1', 0];
  interfaces = undefined;
  traffic = new LabTraffic({
    status: {
      instance: async (_id, format) => Promise.resolve({ body: Buffer.from('{}'), format, ageMs: 0 }),
      nodeEntriesOf: () => entries,
      get version() {
        return version;
      },
    },
    topologies: {
      of: async () => {
        topologiesRead += 1;
        nowMs += topologyMs;
        return Promise.resolve({ topology });
      },
    },
    driver: () => ({ nodes: { interfaces }, status: { nodesOf: () => nodes } }) as unknown as LabDriver,
    asker: { env: {}, isOtherUser: false },
    look,
    now: () => nowMs,
  });
});

describe('the interfaces of containers', () => {
  it(`are read at their links alone${because}`, async () => {
    const { pid } = await container('eth1', '=odd|eth2');
    topology = topologyOf(
      [
        ['r1', 'eth1'],
        ['r1', '=odd|eth2'],
      ],
      [['r1', 'eth9']],
    );
    nodes = [node('r1')];
    pids = { 'clab-r1': pid };
    const read = await traffic.of('demo');
    expect(read.nodes).toMatchObject([
      {
        node: 'r1',
        interfaces: [
          { interface: 'eth1', link: '1', rxErrors: 0 },
          { interface: '=odd|eth2', link: '1', txDrops: 0 },
        ],
      },
    ]);
    expect(read.unread).toEqual([
      { node: 'r1', interface: 'eth9', reason: 'the node has no interface of that name' },
    ]);
  });

  it(`are read of a frozen process, and counters grow${because}`, async () => {
    const frozen = await container('eth1', 'eth2');
    frozen.kill('SIGSTOP');
    topology = topologyOf([
      ['r1', 'eth1'],
      ['r1', 'eth2'],
    ]);
    nodes = [node('r1', { pid: frozen.pid })];
    const bytes = async () => {
      nowMs += 60_000;
      return (await traffic.of('demo')).nodes[0]?.interfaces[0]?.txBytes ?? 0;
    };
    // Neighbour discovery sends a few packets by itself.
    await eventually('something is sent', async () => (await bytes()) > 0);
    expect(asked).toEqual([]);
  });

  it(`are those of the process that Docker tells after the first has ended${because}`, async () => {
    const [first, second] = [await container('eth1', 'eth2'), await container('eth1', 'eth3')];
    topology = topologyOf([['r1', 'eth1']]);
    nodes = [node('r1', { pid: first.pid })];
    expect((await traffic.of('demo')).nodes).toHaveLength(1);
    first.kill('SIGKILL');
    await once(first, 'close');
    nowMs += 60_000;
    const gone = { nodes: [], unread: [{ node: 'r1', interface: null, reason: 'it does not run' }] };
    expect(await traffic.of('demo')).toEqual(gone);
    pids = { 'clab-r1': second.pid };
    nowMs += 2_000;
    expect(await traffic.of('demo')).toEqual(gone);
    expect(asked).toEqual([['docker', 'clab-r1']]);
    nowMs += 5_000;
    expect((await traffic.of('demo')).nodes).toHaveLength(1);
    expect(asked).toHaveLength(2);
  });

  it(`may be those of one of its parts${because}`, async () => {
    const { pid } = await container('eth1', 'eth2');
    topology = topologyOf([['r1', 'eth1']]);
    nodes = [node('r1-a', { partOf: 'r1' }), node('r1-1', { partOf: 'r1', pid })];
    expect((await traffic.of('demo')).nodes).toMatchObject([{ node: 'r1' }]);
  });
});

describe('nodes that are not read', () => {
  test('have a reason each', async () => {
    topology = topologyOf(
      [
        ['vm', 'a'],
        ['host', 'b'],
      ],
      [
        ['stopped', 'c'],
        ['bridge', 'd'],
      ],
    );
    nodes = [node('vm', null), node('host', { pid: process.pid }), node('stopped')];
    const { nodes: read, unread } = await traffic.of('demo');
    expect(read).toEqual([]);
    expect(unread.map(({ node: name, reason }) => `${name}: ${reason}`)).toEqual([
      'vm: it is no container: its interfaces are not reached from here',
      'host: it is in the network of the server itself',
      'stopped: it does not run',
      'bridge: it does not run, or is no container',
    ]);
  });

  test('are all of a lab that is not up', async () => {
    topology = topologyOf([['r1', 'a']]);
    entries = undefined;
    expect(await failureOf(traffic.of('demo'))).toMatchObject({ code: 'lab-not-up' });
  });

  test('may be one that does not answer; the others are read', async () => {
    topology = topologyOf([
      ['r1', 'a'],
      ['r2', 'b'],
    ]);
    const counters = { rxBytes: 1, rxPackets: 1, rxErrors: 0, rxDrops: 0 };
    const all = { ...counters, txBytes: 1, txPackets: 1, txErrors: 0, txDrops: 0 };
    const found = new Map([['r2', { readAtMs: 5, interfaces: new Map([['b', all]]) }]]);
    interfaces = async () => Promise.resolve({ found, doubt: 'half of it was read' });
    expect(await traffic.of('demo')).toEqual({
      nodes: [{ node: 'r2', readAtMs: 5, interfaces: [{ interface: 'b', link: '1', ...all }] }],
      unread: [{ node: 'r1', interface: null, reason: 'half of it was read' }],
    });
  });
});

describe('a reading is shared', () => {
  beforeEach(() => {
    topology = topologyOf([['r1', 'a']]);
  });

  test('by all who ask within a second', async () => {
    await Promise.all(Array.from({ length: 50 }, async () => traffic.of('demo')));
    nowMs += 900;
    await traffic.of('demo');
    expect(topologiesRead).toBe(1);
    nowMs += 200;
    await traffic.of('demo');
    expect(topologiesRead).toBe(2);
  });

  /** How often it is read by those who ask at these times. */
  const readAt = async (...times: readonly number[]): Promise<number[]> => {
    const counts: number[] = [];
    for (const time of times) {
      nowMs = time;
      await traffic.of('demo');
      counts.push(topologiesRead);
    }
    return counts;
  };
  const takes = (ms: number) => async () =>
    Promise.resolve(((nowMs += ms), { found: new Map(), doubt: null }));

  test('for ten times as long as it took', async () => {
    interfaces = takes(500);
    expect(await readAt(0, 5_400, 5_600)).toEqual([1, 1, 2]);
  });

  test('for 10 s at most', async () => {
    interfaces = takes(5_000);
    expect(await readAt(0, 14_900, 15_100)).toEqual([1, 1, 2]);
  });

  test('no longer because the topology took long', async () => {
    topologyMs = 5_000;
    expect(await readAt(0, 5_900, 6_100)).toEqual([1, 1, 2]);
  });

  test('but not with what was before a change of the labs, or with another lab', async () => {
    await traffic.of('demo');
    version = '2';
    await traffic.of('demo');
    await traffic.of('other');
    expect(topologiesRead).toBe(3);
  });

  test('also when it fails, and the next one may succeed', async () => {
    entries = undefined;
    await Promise.all([failureOf(traffic.of('demo')), failureOf(traffic.of('demo'))]);
    expect(topologiesRead).toBe(1);
    entries = {};
    nowMs += 1_100;
    expect((await traffic.of('demo')).nodes).toEqual([]);
  });
});
