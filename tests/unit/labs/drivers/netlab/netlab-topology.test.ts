import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { netlabTopology } from '../../../../../src/labs/drivers/netlab/netlab-topology.ts';
import type { RunResult } from '../../../../../src/labs/system/run.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { printed } from '../../../../support/run-result.ts';

const inspected = readFileSync(path.resolve(__dirname, '../../../../fixtures/netlab/inspect.json'), 'utf8');

async function read(stdout: string, changes: Partial<RunResult> = {}) {
  const run = async (args: readonly string[]) => {
    expect(args).toEqual(['inspect', '--format', 'json', 'nodefault']);
    return Promise.resolve(printed(stdout, changes));
  };
  return netlabTopology.read('/labs/ospf', run, 'default');
}

test('what netlab 26.10 prints of examples/ospf, in the order of the topology file', async () => {
  const { nodes, links } = await read(inspected);
  expect(nodes.map(({ name, device, role }) => [name, device, role])).toEqual([
    ['r1', 'frr', 'router'],
    ['r2', 'frr', 'router'],
    ['h1', 'linux', 'host'],
    ['h2', 'linux', 'host'],
  ]);
  expect(nodes[0]).toEqual({
    name: 'r1',
    device: 'frr',
    role: 'router',
    groups: [],
    as: null,
    modules: ['ospf'],
    loopback: { ipv4: '10.0.0.1/32', ipv6: null },
    interfaces: [
      { name: 'eth1', link: '1', ipv4: '172.16.0.1/24', ipv6: null },
      { name: 'eth2', link: '2', ipv4: '10.1.0.1/30', ipv6: null },
    ],
  });
  expect(nodes[2]).toMatchObject({ loopback: null });
  expect(links[1]).toEqual({
    id: '2',
    type: 'p2p',
    prefix: { ipv4: '10.1.0.0/30', ipv6: null },
    endpoints: [
      { node: 'r1', interface: 'eth2', ipv4: '10.1.0.1/30', ipv6: null },
      { node: 'r2', interface: 'eth1', ipv4: '10.1.0.2/30', ipv6: null },
    ],
  });
});

test('a warning before the document, colours and a brace in it are skipped', async () => {
  const warned = `\u001b[33m[WARN]\u001b[0m cli: topology.yml has been modified\n${inspected}`;
  expect(await read(warned)).toEqual(await read(inspected));
  expect(await read(`[WARN] {odd}\n${inspected}`)).toEqual(await read(inspected));
});

test('what the document leaves out is null; an unnumbered interface has no address', async () => {
  const document = {
    nodes: {
      a: {
        id: 1,
        device: '',
        bgp: { as: 65546 },
        module: ['ospf', 'bgp', 7],
        loopback: { ipv4: '', ipv6: '2001:db8::1/128' },
        interfaces: [7, {}],
      },
      b: {
        id: 2,
        bgp: { as: '65546' },
        module: 'bgp',
        loopback: {},
        interfaces: [{ linkindex: 'x', ifname: 7, ipv4: true, ipv6: false }],
      },
      odd: 7,
    },
    groups: {
      a_b: { members: ['a'] },
      x: { members: 'a' },
      my_netlab_: { members: ['b'] },
      netlab_no_collect: { members: ['b'] },
      _auto: { members: ['b'] },
      odd: 7,
    },
    links: [{}, { type: 'lan', linkindex: 9, prefix: 7, interfaces: [{ ifname: 'eth1' }, { node: 'a' }] }],
  };
  const none = { ipv4: null, ipv6: null };
  const { nodes, links } = await read(JSON.stringify(document));
  expect(nodes).toEqual([
    {
      name: 'a',
      device: null,
      role: null,
      groups: ['a_b'],
      as: 65546,
      modules: ['ospf', 'bgp'],
      loopback: { ipv4: null, ipv6: '2001:db8::1/128' },
      interfaces: [{ name: '', link: null, ...none }],
    },
    {
      name: 'b',
      device: null,
      role: null,
      groups: ['my_netlab_'],
      as: null,
      modules: [],
      loopback: null,
      interfaces: [{ name: '', link: null, ...none }],
    },
  ]);
  expect(links).toEqual([
    { id: '1', type: 'p2p', prefix: none, endpoints: [] },
    {
      id: '9',
      type: 'lan',
      prefix: none,
      endpoints: [
        { node: '', interface: 'eth1', ...none },
        { node: 'a', interface: '', ...none },
      ],
    },
  ]);
});

test('a run that failed reports nothing, whatever it printed', async () => {
  expect((await failureOf(read(inspected, { exitCode: 1 }))).code).toBe('lab-cli-failed');
  expect((await failureOf(read(inspected, { ended: 'timeout' }))).code).toBe('lab-cli-timeout');
  expect(netlabTopology.snapshotName('7')).toBe('netlab.snapshot.pickle');
});

test.each([
  ['no JSON', {}, /not a topology: no JSON$/],
  ['{"nodes": 7}', {}, /not a topology/],
  ['', { exitCode: 1, stderr: Buffer.from('Fatal error: no pickle') }, /code 1: Fatal error: no pickle$/],
])('%j, %j is a failure', async (stdout, changes, message) => {
  expect(await failureOf(read(stdout, changes))).toMatchObject({
    code: 'lab-cli-failed',
    message: expect.stringMatching(message),
  });
});

test.each([
  ['{\n  "change": {},\n  "id": 12\n}\n', {}, '12'],
  [' [INFO] Using lab topology file topology.yml\n{ "id": "external_a" }', {}, 'external_a'],
  ['{ "change": {} }', {}, 'default'],
  ['no JSON', {}, undefined],
  ['{ "id": 12 }', { exitCode: 1 }, undefined],
])('the id of the lab in a snapshot, of %j, %j', async (stdout, changes, id) => {
  const run = async (args: readonly string[]) => {
    expect(args).toEqual(['inspect', '--format', 'json', 'defaults.multilab']);
    return printed(stdout, changes);
  };
  expect(await netlabTopology.keptInstance?.('/lab', run)).toBe(id);
});
