import { expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readLabFile, readLabName } from '../../../../src/engine/runtime/lab-file.ts';
import { phasesOf, namespacesOf, problemOfLinks } from '../../../../src/engine/runtime/links.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
/** Without images. */
const home = path.join(root, 'home');
const frr = 'image: quay.io/frrouting/frr:10.7.1';
const linux = 'image: python:3.13-alpine';

/** As netlab 26.10 writes it (netsim/templates/provider/clab/clab.j2). */
function fileWith(nodes: string, links = '', head = 'name: demo\nprefix: "clab"'): string {
  const file = path.join(root, 'clab.yml');
  const network = 'mgmt: { network: netlab_mgmt, ipv4-subnet: 192.168.121.0/24 }';
  writeFileSync(file, `${head}\n${network}\ntopology:\n  nodes:\n${nodes}\n  links:\n${links}\n`);
  return file;
}

const router = (name: string, more = ''): string =>
  `    ${name}: { kind: linux, ${frr}, restart-policy: 'no', group: , mgmt-ipv4: 192.168.121.101, exec: ['sleep 1']${more} }`;

test('nodes, their files and their links are read as netlab writes them', async () => {
  mkdirSync(path.join(root, 'node_files/r1'), { recursive: true });
  writeFileSync(path.join(root, 'node_files/r1/daemons'), '');
  const binds = ", binds: ['node_files/r1/daemons:/etc/frr/daemons', 'node_files:/etc/all:ro']";
  const nodes = `${router('r1', binds)}\n    h1: { kind: linux, ${linux} }\n    br: { kind: bridge }`;
  const links = `    - endpoints: ["r1:eth1", "h1:eth1"]
    - endpoints: ["r1:eth2", "br:bni0n1i2"]
    - { type: dummy, endpoint: { node: h1, interface: eth2 } }`;
  const lab = await readLabFile({ home }, fileWith(nodes, links));
  expect(lab).toMatchObject({ name: 'demo', instance: 'clab.demo', gateway: '192.168.121.1/24' });
  expect(lab.nodes).toMatchObject([
    {
      name: 'r1',
      container: 'clab-demo-r1',
      root: { isRouter: true },
      exec: ['sleep 1'],
      management: { ipv4: '192.168.121.101/24' },
      binds: [
        { source: path.join(root, 'node_files/r1/daemons'), target: '/etc/frr/daemons', isReadOnly: false },
        { source: path.join(root, 'node_files'), target: '/etc/all', isReadOnly: true },
      ],
    },
    { name: 'h1', container: 'clab-demo-h1', root: { isRouter: false }, management: {} },
  ]);
  expect(problemOfLinks(lab)).toBeUndefined();
  const hub = 'lab-clab.demo-.switch';
  expect(namespacesOf(lab)).toEqual(['clab-demo-r1', 'clab-demo-h1', hub]);
  const [, phase] = phasesOf(lab);
  const lines = (phase as { readonly lines: readonly string[] }).lines;
  expect(lines.slice(2)).toEqual([
    'link add name eth1 mtu 9500 netns clab-demo-r1 type veth peer name eth1 mtu 9500 netns clab-demo-h1',
    'link add name eth2 mtu 9500 netns clab-demo-r1 type veth peer name bni0n1i2 mtu 9500',
    'link set dev bni0n1i2 master br up',
    `link add name eth2 mtu 9500 netns clab-demo-h1 type veth peer name s2 mtu 9500 netns ${hub}`,
  ]);
});

test.each([
  ['prefix: ""', 'r1'],
  ['prefix: __lab-name', 'demo-r1'],
  ['', 'clab-demo-r1'],
])('with %j, the container of a node is called %s', async (prefix, container) => {
  const lab = await readLabFile({ home }, fileWith(router('r1'), '', `name: demo\n${prefix}`));
  expect(lab.nodes[0]?.container).toBe(container);
});

test('everything that cannot run in namespaces is named at once', async () => {
  const nodes = `    r1: { kind: ceos, image: ceos:4.35 }
    r2: { kind: linux, image: 'netlab/bird:latest' }
${router('r3', ', network-mode: host')}`;
  await expect(readLabFile({ home }, fileWith(nodes))).rejects.toMatchObject({
    message: [
      'the lab demo cannot run in namespaces: node r1 is of the kind "ceos", which needs containerlab and Docker',
      'node r2 needs the image "netlab/bird:latest", which was not added: "lab image add netlab/bird:latest ARCHIVE" adds it from an archive of "docker save"',
      'node r3 has "network-mode", which needs containerlab and Docker',
    ].join('; '),
  });
});

test.each([
  ['a bind without a source', router('r1', ", binds: ['nowhere:/etc/x']"), '', /"nowhere:\/etc\/x".*ENOENT/],
  ['a bind to a relative path', router('r1', ", binds: ['clab.yml:etc/x']"), '', /no absolute path/],
  ['a variable with two lines', router('r1', ', env: { A: "b\\nc" }'), '', /is no lab file/],
  ['a variable that is no name', router('r1', ', env: { "a;b": c }'), '', /is no lab file/],
  ['a link to an unknown node', router('r1'), '    - endpoints: ["r1:eth1", "r2:eth1"]', /"r2" is no node/],
  ['a link to a name of an object', router('r1'), '    - endpoints: ["r1:eth1", "toString:e"]', /is no node/],
  ['an interface with a space', router('r1'), '    - endpoints: ["r1:a b", "r1:eth1"]', /"a b" cannot be/],
  [
    'a node that waits for an unknown node',
    router('r1', ', stages: { create: { wait-for: [{ node: x }] } }'),
    '',
    /waits for x/,
  ],
  [
    'a node that is a path',
    '    "../r1": { kind: linux, image: "python:3" }',
    '',
    /cannot run in namespaces/,
  ],
])('%s is refused', async (_what, nodes, links, why) => {
  await expect(readLabFile({ home }, fileWith(nodes, links))).rejects.toThrow(why);
});

test.each(['name: ../x', 'name: "a b"', 'name: [1]', 'nam: x'])('the head %j is refused', async (head) => {
  await expect(readLabName(fileWith(router('r1'), '', head))).rejects.toThrow(
    /cannot be the name|is no lab file/,
  );
});

test('two links with one interface are refused', async () => {
  const links = '    - endpoints: ["r1:eth1", "r2:eth1"]\n    - endpoints: ["r1:eth1", "r2:eth2"]';
  const lab = await readLabFile({ home }, fileWith(`${router('r1')}\n${router('r2')}`, links));
  expect(problemOfLinks(lab)).toBe('two links have the interface r1:eth1, or the system has it itself');
});
