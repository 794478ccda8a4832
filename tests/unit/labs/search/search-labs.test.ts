import { describe, expect, test } from '@jest/globals';
import type { LabTopology, TopologyNode } from '../../../../src/labs/drivers/topology.ts';
import { factsOf } from '../../../../src/labs/search/facts-of.ts';
import { searchLabs } from '../../../../src/labs/search/search-labs.ts';
import { readSearch } from '../../../../src/labs/search/search-query.ts';
import type { ListedLab } from '../../../../src/labs/status/lab-list.ts';

const none = { ipv4: null, ipv6: null };
const facts = { device: 'frr', role: 'router', groups: [], as: null, modules: [], loopback: null };

const r1: TopologyNode = {
  ...facts,
  name: 'r1',
  as: 65_001,
  modules: ['ospf', 'bgp'],
  loopback: { ipv4: '10.0.0.1/32', ipv6: '2001:db8:1:1::1/64' },
  interfaces: [
    { name: 'eth1', link: '1', ipv4: '10.1.0.1/30', ipv6: '2001:DB8:2::1/64' },
    // Of a lab CLI that does not tell the prefixes of links.
    { name: 'eth2', link: '2', ipv4: '172.16.0.1/24', ipv6: null },
    { name: 'eth3', link: '2', ipv4: 'no address', ipv6: null },
  ],
};
const r2: TopologyNode = {
  ...facts,
  name: 'r2',
  modules: ['ospf'],
  interfaces: [{ name: 'eth1', link: '1', ipv4: '10.1.0.2/30', ipv6: null }],
};
const topology: LabTopology = {
  nodes: [r1, r2],
  links: [
    {
      id: '1',
      type: 'p2p',
      prefix: { ipv4: '10.1.0.0/30', ipv6: '2001:db8:2::/64' },
      endpoints: [
        { node: 'r1', interface: 'eth1', ...none },
        { node: 'r2', interface: 'eth1', ...none },
      ],
    },
    { id: '2', type: 'stub', prefix: none, endpoints: [{ node: 'r1', interface: 'eth2', ...none }] },
  ],
};

const managed = (address: string): ListedLab => {
  const demo = lab('demo');
  return { ...demo, nodes: demo.nodes.map((node) => ({ ...node, address })) };
};

function lab(id: string, nodes: readonly string[] = ['r1', 'r2']): ListedLab {
  return {
    id,
    cli: 'netlab',
    name: `name-of-${id}`,
    state: 'started',
    workdir: null,
    nodes: nodes.map((name, index) => ({
      name,
      device: 'frr',
      provider: null,
      image: null,
      address: `192.168.121.${101 + index}`,
      state: 'up',
      sinceMs: null,
      container: null,
    })),
    problem: null,
    provider: null,
    runtime: null,
    startedAtMs: null,
    entry: {},
  };
}

async function search(text: string, { labs = [lab('demo')], limit = 100 } = {}) {
  const query = readSearch(text);
  if (typeof query === 'string') throw new Error(query);
  return searchLabs({ labs, query, limit, factsOf: async () => Promise.resolve(factsOf(topology)) });
}

async function found(text: string, options?: Parameters<typeof search>[1]) {
  const { matches } = await search(text, options);
  return matches.map(({ match, thing, node, interface: name, value }) =>
    [match, thing, node ?? '-', name ?? '-', value].join(' '),
  );
}

describe('an address', () => {
  test('is that of an interface, and lies in the prefix of its link', async () => {
    expect(await found('10.1.0.2')).toEqual([
      'has interface r2 eth1 10.1.0.2/30',
      'contains link - - 10.1.0.0/30',
    ]);
    const { matches } = await search('10.1.0.3');
    expect(matches).toMatchObject([
      {
        link: '1',
        endpoints: [
          { node: 'r1', interface: 'eth1' },
          { node: 'r2', interface: 'eth1' },
        ],
      },
    ]);
  });

  test('is that of a loopback or of the management', async () => {
    expect(await found('10.0.0.1')).toEqual(['has loopback r1 - 10.0.0.1/32']);
    expect(await found('192.168.121.102')).toEqual(['has management r2 - 192.168.121.102']);
  });

  test('of a node that is managed by its loopback is there once', async () => {
    expect(await found('10.0.0.1', { labs: [managed('10.0.0.1')] })).toEqual([
      'has loopback r1 - 10.0.0.1/32',
      'has management r2 - 10.0.0.1',
    ]);
  });

  test.each(['2001:db8:2::1', '2001:0DB8:2:0:0:0:0:1', '2001:db8:2::0.0.0.1'])(
    '%s is compared as a value',
    async (text) =>
      expect(await found(text)).toEqual([
        'has interface r1 eth1 2001:DB8:2::1/64',
        'contains link - - 2001:db8:2::/64',
      ]),
  );

  test('lies in the network of an interface where no link tells it', async () => {
    expect(await found('172.16.0.77')).toEqual(['contains interface r1 eth2 172.16.0.1/24']);
    expect(await found('2001:db8:1:1::9')).toEqual(['contains loopback r1 - 2001:db8:1:1::1/64']);
  });

  test('of the other family, or of nothing, is not found', async () => {
    expect(await found('::a01:2')).toEqual([]);
    expect(await found('10.1.0.4')).toEqual([]);
  });
});

test('a prefix has addresses and prefixes inside, and lies in others', async () => {
  expect(await found('10.0.0.0/15')).toEqual([
    'inside loopback r1 - 10.0.0.1/32',
    'inside interface r1 eth1 10.1.0.1/30',
    'inside interface r2 eth1 10.1.0.2/30',
    'inside link - - 10.1.0.0/30',
  ]);
  expect(await found('172.16.0.128/25')).toEqual(['contains interface r1 eth2 172.16.0.1/24']);
  expect(await found('192.168.121.100/31')).toEqual(['inside management r1 - 192.168.121.101']);
  expect(await found('0.0.0.0/0', { limit: 3 })).toHaveLength(3);
});

test('an AS, a module and a device', async () => {
  expect(await found('as:65001')).toEqual(['has as r1 - 65001']);
  expect(await found('as:6500')).toEqual([]);
  expect(await found('AS65001', { labs: [lab('as65001')] })).toEqual([
    'has as r1 - 65001',
    'has lab - - as65001',
  ]);
  expect(await found('module:bgp')).toEqual(['has module r1 - bgp']);
  expect(await found('module:og')).toEqual([]);
  expect(await found('device:FRR')).toEqual(['has device r1 - frr', 'has device r2 - frr']);
});

test('a part of a name, also of nodes that only the topology has', async () => {
  expect(await found('R2')).toEqual(['has node r2 - r2']);
  expect(await found('DEMO')).toEqual(['has lab - - demo']);
  expect(await found('name-of')).toEqual(['has lab - - name-of-demo']);
  expect(await found('r2', { labs: [lab('starting', [])] })).toEqual(['has node r2 - r2']);
  expect(await found('device:frr', { labs: [lab('starting', [])] })).toHaveLength(2);
});

test('what has it comes first, over all labs; more than the limit is said', async () => {
  const labs = [lab('a'), lab('b')];
  const { matches, isTruncated } = await search('10.1.0.2', { labs, limit: 3 });
  expect(matches.map((one) => [one.lab.id, one.match])).toEqual([
    ['a', 'has'],
    ['b', 'has'],
    ['a', 'contains'],
  ]);
  expect(isTruncated).toBe(true);
  expect((await search('10.1.0.2', { labs, limit: 4 })).isTruncated).toBe(false);
});

test('a lab that cannot be read is named with the reason, and its status is searched', async () => {
  const query = readSearch('192.168.121.101');
  if (typeof query === 'string') throw new Error(query);
  const factsOfOne = async ({ id }: ListedLab) => {
    if (id === 'bad') throw new Error(`it is ${'very '.repeat(100)}bad\nand more`);
    return Promise.resolve(factsOf(topology));
  };
  const result = await searchLabs({ labs: [lab('bad'), lab('good')], query, limit: 9, factsOf: factsOfOne });
  expect(result.matches.map((one) => one.lab.id)).toEqual(['bad', 'good']);
  expect(result.incomplete).toEqual([
    { lab: expect.objectContaining({ id: 'bad' }), reason: `it is ${'very '.repeat(100)}`.slice(0, 300) },
  ]);
});

test('a link says its first ends, of thousands', () => {
  const endpoints = Array.from({ length: 5_000 }, (_, n) => ({ node: `n${n}`, interface: 'eth1', ...none }));
  const lan = { id: '1', type: 'lan', prefix: { ipv4: '10.0.0.0/8', ipv6: null }, endpoints };
  const { links } = factsOf({ nodes: [], links: [lan] });
  expect(links[0]?.endpoints).toHaveLength(10);
});
