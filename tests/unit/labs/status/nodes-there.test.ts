import { beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { NodeStatus } from '../../../../src/labs/drivers/status-driver.ts';
import type { LabTopology } from '../../../../src/labs/drivers/topology.ts';
import { nodesThere } from '../../../../src/labs/status/nodes-there.ts';
import type { RunResult } from '../../../../src/labs/system/run.ts';
import { printed } from '../../../support/run-result.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
/** Where a test names network namespaces. */
let namespaces: string;
beforeEach(() => {
  namespaces = mkdtempSync(path.join(root, 'netns-'));
});

const nodeNamed = (name: string, changes: Partial<NodeStatus> = {}): NodeStatus => ({
  name,
  device: 'linux',
  provider: 'clab',
  image: null,
  address: null,
  state: 'up',
  since: { atMs: 1_000, withinMs: 1_000 },
  container: { name: `clab-${name}`, partOf: null, there: undefined },
  ...changes,
});

const topologyOf = (nodes: Readonly<Record<string, readonly string[]>>, device = 'linux'): LabTopology => ({
  nodes: Object.entries(nodes).map(([name, links]) => ({
    name,
    device,
    role: null,
    groups: [],
    as: null,
    modules: [],
    loopback: null,
    interfaces: [
      ...links.map((link, index) => ({ name: link, link: String(index), ipv4: null, ipv6: null })),
      { name: 'loopback0', link: null, ipv4: null, ipv6: null },
    ],
  })),
  links: [],
});

interface World {
  /** Its lines are a name, a state and a pid. */
  readonly docker: RunResult;
  readonly topology?: LabTopology;
  readonly tellsOnlyThose?: boolean;
}

/** Looks at labs, given by their nodes; the result has what Docker was asked for, too. */
async function look(labs: Readonly<Record<string, readonly NodeStatus[]>>, world: World) {
  const asked: string[][] = [];
  const there = await nodesThere(
    Object.entries(labs).map(([id, nodes]) => ({ id, nodes })),
    {
      look: async (...[program, args]) => {
        asked.push([program, ...args.slice(0, 2), ...args.slice(4)]);
        return Promise.resolve(world.docker);
      },
      topologyOf: async () => Promise.resolve(world.topology),
      tellsOnlyThose: world.tellsOnlyThose ?? false,
      namespaces,
    },
  );
  const states = Object.fromEntries(
    [...there].map(([id, { nodes }]) => [id, nodes.map(({ name, state }) => `${name} ${state}`)]),
  );
  return { asked, there, states };
}

const noSuch = (...names: readonly string[]): Partial<RunResult> => ({
  exitCode: 1,
  stderr: Buffer.from(names.map((name) => `Error: No such container: ${name}\n`).join('')),
});

test('Docker is asked once for the nodes of all labs, and knows better than a lab CLI that has not looked since', async () => {
  const { asked, there, states } = await look(
    { whole: [nodeNamed('a'), nodeNamed('b')], half: [nodeNamed('c'), nodeNamed('d'), nodeNamed('e')] },
    {
      docker: printed(
        '/clab-a\trunning\t11\n/clab-b\tpaused\t12\n/clab-c\trunning\t13\n/clab-e\texited\t0\n',
        noSuch('clab-d'),
      ),
    },
  );
  expect(asked).toEqual([
    ['docker', 'container', 'inspect', 'clab-a', 'clab-b', 'clab-c', 'clab-d', 'clab-e'],
  ]);
  expect(states).toEqual({ whole: ['a up', 'b up'], half: ['c up', 'd down', 'e down'] });
  expect(there.get('whole')).toMatchObject({ isGone: false, problem: null });
  expect(there.get('half')).toMatchObject({ isGone: false, problem: '2 of 3 nodes are down: d, e' });
  expect(there.get('half')?.nodes[1]?.since).toBeNull();
});

test('a lab is gone when no container of it runs', async () => {
  const gone = { docker: printed('/clab-b\texited\t0\n', noSuch('clab-a')) };
  const unmanaged = nodeNamed('x', { state: 'unknown', container: null });
  const { there } = await look({ one: [nodeNamed('a'), nodeNamed('b'), unmanaged] }, gone);
  expect(there.get('one')).toMatchObject({ isGone: true, problem: '2 of 2 nodes are down: a, b' });
});

test('a lab is not gone that has a virtual machine, no node, or one whose links are kept for its start', async () => {
  const gone = { docker: printed('', noSuch('clab-a')) };
  const machine = nodeNamed('vm', { provider: 'libvirt', container: null, state: 'down' });
  const labs = { mixed: [nodeNamed('a'), machine], machines: [machine], none: [] };
  const { there, states } = await look(labs, gone);
  expect([...there.values()].map(({ isGone }) => isGone)).toEqual([false, false, false]);
  expect(states).toMatchObject({ machines: ['vm down'], none: [] });
  symlinkSync('/run/netns/clab-park-a', path.join(namespaces, 'clab-a'));
  const parked = await look({ one: [nodeNamed('a')] }, gone);
  expect(parked.there.get('one')).toMatchObject({ isGone: false, problem: '1 of 1 nodes is down: a' });
});

test('without containers, Docker is not asked', async () => {
  const { asked, states } = await look(
    { one: [nodeNamed('a', { container: null })] },
    { docker: printed('') },
  );
  expect(asked).toEqual([]);
  expect(states).toEqual({ one: ['a up'] });
});

test.each<[string, RunResult, string]>([
  [
    'does not run',
    printed('', {
      exitCode: 1,
      stderr: Buffer.from('Cannot connect to the Docker daemon. Is it running?\n'),
    }),
    'Cannot connect',
  ],
  ['hangs', printed('', { exitCode: null, ended: 'timeout' }), 'it gives no answer'],
  ['is not there', printed('', { exitCode: null, spawnError: 'spawn docker ENOENT' }), 'spawn docker ENOENT'],
])('when Docker %s, the state of nodes is unknown, and no lab is gone', async (_how, docker, why) => {
  const { there, states } = await look(
    { one: [nodeNamed('a')], other: [nodeNamed('vm', { container: null })] },
    { docker },
  );
  expect(states).toEqual({ one: ['a unknown'], other: ['vm up'] });
  expect(there.get('one')).toMatchObject({
    isGone: false,
    problem: expect.stringContaining(`Docker does not tell which nodes run: ${why}`),
  });
  expect(there.get('other')).toMatchObject({ problem: null });
});

test('a node that Docker has started again is down when its links are gone', async () => {
  const docker = printed(`/clab-a\trunning\t${process.pid}\n/clab-b\trunning\t${process.pid}\n`);
  const topology = topologyOf({ a: ['lo', 'no-such-link'], b: ['no-such-link'] });
  symlinkSync('/proc/1/ns/net', path.join(namespaces, 'clab-a'));
  symlinkSync(`/proc/${process.pid}/ns/net`, path.join(namespaces, 'clab-b'));
  const { there, states } = await look({ one: [nodeNamed('a'), nodeNamed('b')] }, { docker, topology });
  expect(states).toEqual({ one: ['a down', 'b up'] });
  expect(there.get('one')).toMatchObject({
    isGone: false,
    problem: 'started again without their links: a (no-such-link); restart the lab to get them back',
  });
  // One without links has lost none; and without a topology, nothing is known of them.
  for (const other of [topologyOf({ a: [] }), topologyOf({}), undefined]) {
    const world = { docker, ...(other && { topology: other }) };
    expect((await look({ one: [nodeNamed('a')] }, world)).states).toEqual({ one: ['a up'] });
  }
});

test('a node of the topology that the lab CLI leaves out is down', async () => {
  const docker = printed('/clab-a\trunning\t11\n');
  const part = nodeNamed('s-1', {
    container: { name: 'clab-s-1', partOf: 's', there: { isRunning: true, pid: 12 } },
  });
  const topology = topologyOf({ a: [], s: [], b: [] });
  const world = {
    docker,
    topology: { ...topology, nodes: [...topology.nodes, ...topologyOf({ br: [] }, 'bridge').nodes] },
  };
  const { there, states } = await look({ one: [nodeNamed('a'), part] }, { ...world, tellsOnlyThose: true });
  expect(states).toEqual({ one: ['a up', 's-1 up', 'b down'] });
  expect(there.get('one')).toMatchObject({ isGone: false, problem: '1 of 3 nodes is down: b' });
  expect((await look({ one: [nodeNamed('a'), part] }, world)).states).toEqual({ one: ['a up', 's-1 up'] });
});

test('a long list of nodes is cut', async () => {
  const nodes = Array.from({ length: 10 }, (_, index) => nodeNamed(`n${index}`));
  const { there } = await look(
    { one: nodes },
    { docker: printed('', noSuch(...nodes.map(({ name }) => name))) },
  );
  expect(there.get('one')?.problem).toBe(
    '10 of 10 nodes are down: n0, n1, n2, n3, n4, n5, n6, n7 and 2 more',
  );
});
