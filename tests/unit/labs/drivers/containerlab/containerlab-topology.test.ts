import { expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { containerlabTopology } from '../../../../../src/labs/drivers/containerlab/containerlab-topology.ts';
import { recorded } from '../../../../support/containerlab-recorded.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();

function directoryWith(text: string | undefined): string {
  const directory = mkdtempSync(path.join(root, 'lab-'));
  mkdirSync(path.join(directory, 'clab-ct-demo'));
  if (text !== undefined) writeFileSync(path.join(directory, 'clab-ct-demo/topology-data.json'), text);
  return directory;
}

const read = async (directory: string) =>
  containerlabTopology.read(directory, () => Promise.reject(new Error('nothing is run')), 'ct-demo');

const noAddress = { ipv4: null, ipv6: null };

test('what containerlab 0.79 leaves', async () => {
  const { nodes, links } = await read(directoryWith(recorded('topology-data.json')));
  expect(nodes.map(({ name }) => name)).toEqual(['h1', 'h2', 'r1', 'r2']);
  expect(nodes[2]).toEqual({
    name: 'r1',
    device: 'linux',
    role: null,
    groups: ['core'],
    as: null,
    modules: [],
    loopback: null,
    interfaces: [
      { name: 'eth1', link: '1', ...noAddress },
      { name: 'eth2', link: '2', ...noAddress },
    ],
  });
  expect(links.map(({ id, type }) => `${id} ${type}`)).toEqual(['1 p2p', '2 p2p', '3 p2p']);
  expect(links[0]).toMatchObject({
    prefix: noAddress,
    endpoints: [
      { node: 'h1', interface: 'eth1', ...noAddress },
      { node: 'r1', interface: 'eth1', ...noAddress },
    ],
  });
});

test('links that lead to the machine are stubs; addresses are those that the topology gives', async () => {
  const { links, nodes } = await read(directoryWith(recorded('topology-data-odd.json')));
  expect(links).toMatchObject([
    { type: 'stub', endpoints: [{ node: 'ct-a', interface: 'eth1' }] },
    { type: 'stub', endpoints: [{ node: 'ct-a', interface: 'eth2' }] },
    {
      type: 'p2p',
      endpoints: [
        { node: 'ct-a', interface: 'eth5', ipv4: '10.0.0.1/24', ipv6: null },
        { node: 'ct-b', interface: 'eth5', ipv4: null },
      ],
    },
  ]);
  expect(nodes[0]?.interfaces[2]).toEqual({ name: 'eth5', link: '3', ipv4: '10.0.0.1/24', ipv6: null });
});

test('a link of containerlab 0.68 is its two ends', async () => {
  const { nodes, links } = JSON.parse(recorded('topology-data.json')) as {
    nodes: object;
    links: { endpoints: object }[];
  };
  const older = { nodes, links: links.map(({ endpoints }) => endpoints) };
  const [of68, of79] = [JSON.stringify(older), recorded('topology-data.json')].map(directoryWith);
  expect(await read(of68 ?? '')).toEqual(await read(of79 ?? ''));
});

test('nodes come in the order of their numbers; bridges are known; there may be no links', async () => {
  const node = (index: string, kind?: string) => ({ index, kind, group: '' });
  const data = {
    nodes: { b10: node('10'), b2: node('2', 'ovs-bridge'), b1: node('1', 'bridge') },
    links: null,
  };
  const { nodes, links } = await read(directoryWith(JSON.stringify(data)));
  expect(nodes.map(({ name, device, role }) => [name, device, role])).toEqual([
    ['b1', 'bridge', 'bridge'],
    ['b2', 'ovs-bridge', 'bridge'],
    ['b10', null, null],
  ]);
  expect(links).toEqual([]);
});

test.each([
  ['is not there', undefined],
  ['is no JSON', 'no JSON'],
  ['is of another template', '{"nodes": [1]}'],
])('a file that %s tells what to do', async (_what, text) => {
  expect(await failureOf(read(directoryWith(text)))).toMatchObject({
    code: 'lab-cli-failed',
    message: expect.stringMatching(/topology-data\.json does not tell .*: deploy the lab again with "up"/),
  });
});

test('a link in its place is not followed', async () => {
  const directory = directoryWith(undefined);
  const elsewhere = path.join(root, 'elsewhere.json');
  writeFileSync(elsewhere, recorded('topology-data.json'));
  symlinkSync(elsewhere, path.join(directory, 'clab-ct-demo/topology-data.json'));
  expect(await failureOf(read(directory))).toMatchObject({ code: 'lab-cli-failed' });
});
