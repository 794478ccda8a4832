/** The texts of new topologies; tests/integration/shapes-start gives them to the programs that read them. */
import { expect, test } from '@jest/globals';
import {
  numbersOf,
  planOf,
  planText,
  topologyText,
  type Numbers,
  type ShapeName,
} from '../../../web/dashboard/src/parts/drawing/shapes.ts';

const typedAs = (texts: Readonly<Record<string, string>>) => (name: string) => texts[name] ?? '';

test.each<[ShapeName, Numbers, string, readonly string[]]>([
  ['blank', {}, '1 router', []],
  ['line', { routers: 3, hosts: 2 }, '3 routers, 2 hosts, 4 links', ['r1-r2', 'r2-r3', 'r1-h1', 'r3-h2']],
  ['line', { routers: 2, hosts: 1 }, '2 routers, 1 host, 2 links', ['r1-r2', 'r1-h1']],
  [
    'ring',
    { routers: 5, hosts: 2 },
    '5 routers, 2 hosts, 7 links',
    ['r1-r2', 'r2-r3', 'r3-r4', 'r4-r5', 'r5-r1', 'r1-h1', 'r3-h2'],
  ],
  ['star', { routers: 2, hosts: 2 }, '3 routers, 2 hosts, 4 links', ['hub-r1', 'hub-r2', 'r1-h1', 'r2-h2']],
  [
    'spine-leaf',
    { spines: 2, leaves: 2, hosts: 1 },
    '4 routers, 2 hosts, 6 links',
    ['s1-l1', 's1-l2', 's2-l1', 's2-l2', 'l1-h1', 'l2-h2'],
  ],
  ['mesh', { routers: 3, hosts: 0 }, '3 routers, 3 links', ['r1-r2', 'r1-r3', 'r2-r3']],
  ['mesh', { routers: 32, hosts: 4 }, '32 routers, 4 hosts, 500 links', expect.any(Array) as never],
])('a %s of %j has %s', (shape, numbers, words, links) => {
  const plan = planOf(shape, numbers);
  expect(planText(plan)).toBe(words);
  expect(plan.links.map((ends) => ends.join('-'))).toEqual(links);
  const names = [...plan.routers, ...plan.hosts];
  expect(new Set(names).size).toBe(names.length);
});

test('a text is short, and lists many links one below the other', () => {
  expect(topologyText(planOf('blank', {}), 'netlab', 'lab')).toBe(
    'name: lab\nprovider: clab\ndefaults.device: frr\nnodes:\n  r1:\n',
  );
  const ring = planOf('ring', { routers: 3, hosts: 1 });
  expect(topologyText(ring, 'engine', 'ring')).toBe(`name: ring
defaults.device: linux
nodes:
  r1: { role: router }
  r2: { role: router }
  r3: { role: router }
  h1:
links: [r1-r2, r2-r3, r3-r1, r1-h1]
`);
  expect(topologyText(ring, 'netlab', 'ring')).toBe(`name: ring
provider: clab
defaults.device: frr
module: [ospf]
nodes:
  r1:
  r2:
  r3:
  h1: { device: linux }
links: [r1-r2, r2-r3, r3-r1, r1-h1]
`);
  expect(topologyText(ring, 'containerlab', 'ring')).toBe(`name: ring
topology:
  kinds:
    linux:
      image: quay.io/frrouting/frr:10.7.1
  nodes:
    r1: { kind: linux }
    r2: { kind: linux }
    r3: { kind: linux }
    h1: { kind: linux, image: "alpine:3" }
  links:
    - endpoints: ["r1:eth1", "r2:eth1"]
    - endpoints: ["r2:eth2", "r3:eth1"]
    - endpoints: ["r3:eth2", "r1:eth2"]
    - endpoints: ["r1:eth3", "h1:eth1"]
`);
  const long = topologyText(planOf('line', { routers: 20, hosts: 0 }), 'engine', 'line');
  expect(long).toContain('links:\n  - r1-r2\n  - r2-r3\n');
});

test.each<[ShapeName, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
  ['ring', { routers: ' 5 ', hosts: '0' }, {}],
  ['ring', { routers: '2', hosts: 'two' }, { routers: '3 to 150', hosts: '0 to 150' }],
  ['line', { routers: '', hosts: '1.5' }, { routers: '2 to 150', hosts: '0 to 150' }],
  ['line', { routers: '99999999999', hosts: '-1' }, { routers: '2 to 150', hosts: '0 to 150' }],
  ['line', { routers: '100', hosts: '51' }, { hosts: 'makes 151 nodes: at most 150' }],
  ['star', { routers: '150', hosts: '0' }, { routers: 'makes 151 nodes: at most 150' }],
  ['spine-leaf', { spines: '40', leaves: '40', hosts: '1' }, { leaves: 'makes 1,600 links: at most 500' }],
  ['spine-leaf', { spines: '2', leaves: '40', hosts: '3' }, { hosts: 'makes 162 nodes: at most 150' }],
  ['mesh', { routers: '33', hosts: '0' }, { routers: 'makes 528 links: at most 500' }],
])('a %s of %j is refused with %j', (shape, typed, mistakes) => {
  const { wrong } = numbersOf(shape, typedAs(typed));
  expect([...wrong.keys()]).toEqual(Object.keys(mistakes));
  for (const [name, words] of Object.entries(mistakes)) expect(wrong.get(name as 'routers')).toContain(words);
});
