import { describe, expect, test } from '@jest/globals';
import { errorsOf, labOf } from '../../../support/topologies.ts';

/** Two routers with loopbacks of IPv4, one with both families, one without; and hosts. */
const nodes = `addressing: {loopback: {ipv6: 2001:db8:ff::/48}, x: {ipv4: true}}
nodes: {r1: {role: router, loopback: {ipv6: false}}, r2: {role: router, loopback: {ipv6: false}}, r3: {role: router}, r4: {role: router, loopback: false}, h5: , h6: }
`;

/** Per end of the first link: the node, its addresses, and the families in which it has that of its loopback. */
function ends(link: string, head = nodes): string[] {
  const lab = labOf(`${head}links: [${link}]\n`);
  return lab.links[0]!.ends.map(({ node, ifname }) => {
    const interfaces = lab.nodes.find(({ name }) => name === node)!.interfaces;
    const { ipv4, ipv6, unnumbered } = interfaces.find((each) => each.ifname === ifname)!;
    return [node, ipv4 ?? '-', ipv6 ?? '-', ...(unnumbered ?? [])].join(' ');
  });
}

/** The errors of the first link, without their places. */
function errors(link: string, head = nodes): string[] {
  return errorsOf(`${head}links: [${link}]\n`).map((error) => error.replace(/^\d+:\d+ links\[1\]:? /, ''));
}

describe('host numbers are', () => {
  test.each([
    ['of two routers 1 and 2', '{r2: , r1: , prefix: 10.9.0.0/30}', ['r2 10.9.0.2/30 -', 'r1 10.9.0.1/30 -']],
    ['the same with a host', '{h5: , r1: , prefix: 10.9.0.2/31}', ['h5 10.9.0.2/31 -', 'r1 10.9.0.3/31 -']],
    [
      'of two nodes 0 and 1 by name',
      '{r1: , h5: , prefix: 10.9.0.2/31}',
      ['r1 10.9.0.3/31 -', 'h5 10.9.0.2/31 -'],
    ],
    ['0 of one node alone', '{h5: , prefix: 10.9.0.4/32}', ['h5 10.9.0.4/32 -']],
    [
      'ids, up to the last usable one',
      '{h6: , h5: , prefix: 10.9.0.0/29}',
      ['h6 10.9.0.6/29 -', 'h5 10.9.0.5/29 -'],
    ],
    [
      'in sequence where an id does not fit',
      '{h5: , r1: , prefix: 10.9.0.0/30}',
      ['h5 10.9.0.1/30 -', 'r1 10.9.0.2/30 -'],
    ],
    ['in sequence from 0 of two addresses', '{h5: , prefix: 10.9.0.0/31}', ['h5 10.9.0.0/31 -']],
    ['ids in IPv6', '{r2: , prefix: {ipv6: "2001:db8::/126", ipv4: false}}', ['r2 - 2001:db8::2/126']],
    [
      'as the prefix says: in sequence',
      '{h6: , r1: , prefix: {ipv4: 10.9.0.0/24, allocation: sequential}}',
      ['h6 10.9.0.1/24 -', 'r1 10.9.0.2/24 -'],
    ],
    [
      'as the prefix says: by name',
      '{r2: , h6: , h5: , prefix: {ipv4: 10.9.0.0/24, allocation: p2p}}',
      ['r2 10.9.0.3/24 -', 'h6 10.9.0.2/24 -', 'h5 10.9.0.1/24 -'],
    ],
  ])('%s', (_what, link, expected) => expect(ends(link)).toEqual(expected));

  test('by name: byte by byte, and the ends of one node in their order', () => {
    const routers = 'nodes: {a: {role: router}, _a: {role: router}, B: {role: router}}\n';
    const byName = (list: string) =>
      ends(`{interfaces: [${list}], prefix: {ipv4: 10.9.0.0/24, allocation: p2p}}`, routers).map((end) =>
        end.replace(/^(\w+) 10\.9\.0\.(\d).*$/, '$1 $2'),
      );
    expect(byName('a, _a, B')).toEqual(['a 3', '_a 2', 'B 1']);
    expect(byName('a, B, a, B')).toEqual(['a 3', 'B 1', 'a 4', 'B 2']);
  });

  test.each([
    ['{r1: , r2: , prefix: 10.9.0.4/32}', '10.9.0.4/32 has too few addresses for 2 nodes'],
    ['{r1: , h5: , h6: , prefix: 10.9.0.4/30}', '10.9.0.4/30 has too few addresses for 3 nodes'],
    ['{r1: , r2: , prefix: "2001:db8::1/128"}', '2001:db8::1/128 has too few addresses for 2 nodes'],
    [
      '{r1: , h6: , prefix: {ipv4: 10.9.0.0/30, allocation: id_based}}',
      'h6 has host number 6, which is outside 10.9.0.0/30',
    ],
    ['{r1: {ipv4: 4}, r2: , prefix: 10.9.0.0/30}', 'r1 has host number 4, which is outside 10.9.0.0/30'],
  ])('not enough for %s', (link, error) => expect(errors(link)).toEqual([error]));
});

describe('an end may have', () => {
  test.each([
    ['a host number', '{r1: {ipv4: 9}, r2: , prefix: 10.9.1.0/24}', ['r1 10.9.1.9/24 -', 'r2 10.9.1.2/24 -']],
    [
      'host number 0 of a short prefix',
      '{r1: {ipv4: 1}, r2: {ipv4: 0}, prefix: 10.9.1.0/31}',
      ['r1 10.9.1.1/31 -', 'r2 10.9.1.0/31 -'],
    ],
    [
      'an address, with the length of the prefix',
      '{r1: {ipv4: 10.8.0.7}, r2: , prefix: 10.9.1.0/24}',
      ['r1 10.8.0.7/24 -', 'r2 10.9.1.2/24 -'],
    ],
    [
      'an address with its own length',
      '{r1: {ipv4: 10.8.0.7/20}, r2: , prefix: 10.9.1.0/24}',
      ['r1 10.8.0.7/20 -', 'r2 10.9.1.2/24 -'],
    ],
    ['none', '{r1: {ipv4: false}, r2: , prefix: 10.9.1.0/24}', ['r1 - -', 'r2 10.9.1.2/24 -']],
    [
      'that of its loopback',
      '{r1: {ipv4: true}, r2: , prefix: 10.9.1.0/24}',
      ['r1 - - ipv4', 'r2 10.9.1.2/24 -'],
    ],
    [
      'any of these without a prefix but a number',
      '{interfaces: [{node: r1, ipv4: 10.8.0.7/20}, {node: r2, ipv4: false}, {node: r3, ipv6: true}, r4], prefix: false}',
      ['r1 10.8.0.7/20 -', 'r2 - -', 'r3 - - ipv6', 'r4 - -'],
    ],
  ])('%s', (_what, link, expected) => expect(ends(link)).toEqual(expected));

  test.each([
    ['ipv4: 7', 'r1 has host number 7, but the link has no ipv4 prefix: give the address with its length'],
    [
      'ipv6: "2001:db8::7"',
      'r1 has 2001:db8::7, but the link has no ipv6 prefix: give the address with its length',
    ],
  ])('not %s without a prefix', (end, error) => {
    expect(errors(`{r1: {${end}}, r2: , prefix: false}`)).toEqual([error]);
  });
});

describe('unnumbered', () => {
  const both = ['r1 - - ipv4', 'r3 - - ipv4 ipv6', 'r4 - - ipv6', 'h5 - - ipv6'];

  test('ends of such a link have what their loopbacks have; without one, IPv6 alone', () => {
    expect(ends('{r1: , r3: , r4: , h5: , unnumbered: true}')).toEqual(both);
  });

  test('a pool or a prefix of one family has the ends borrow in that one alone, loopback or not', () => {
    const four = ['r1 - - ipv4', 'r3 - - ipv4', 'r4 - - ipv4'];
    expect(ends('{r1: , r3: , r4: , pool: x}')).toEqual(four);
    expect(ends('{r1: , r3: , r4: , prefix: {ipv4: true}}')).toEqual(four);
    expect(ends('{r1: , r4: , prefix: {ipv4: true, ipv6: "2001:db8::/64"}}')).toEqual([
      'r1 - 2001:db8::1/64 ipv4',
      'r4 - 2001:db8::2/64 ipv4',
    ]);
  });
});

describe('an address is refused', () => {
  const network = 'is the address of the network itself';
  const broadcast = 'is the broadcast address of its network';

  test.each([
    ['10.8.0.0/30', network],
    ['2001:db8::3/126', broadcast],
  ])('%s', (address, what) => {
    const family = address.includes(':') ? 'ipv6' : 'ipv4';
    expect(errors(`{r1: {${family}: "${address}"}}`)).toEqual([`${address} of r1 ${what}`]);
  });

  test.each(['10.8.0.1/30', '10.8.0.2/30', '10.8.0.0/31', '10.8.0.1/31', '10.8.0.0/32', '2001:db8::/127'])(
    '%s is not',
    (address) => {
      const family = address.includes(':') ? 'ipv6' : 'ipv4';
      expect(errors(`{r1: {${family}: "${address}"}}`)).toEqual([]);
    },
  );

  test('in a reserved range, whatever the length of its network', () => {
    const range = 'is in the local range 0.0.0.0/8, which no interface may use';
    expect(errors('{r1: , r2: , prefix: 0.0.0.0/0}')).toEqual([
      `0.0.0.1/0 of r1 ${range}`,
      `0.0.0.2/0 of r2 ${range}`,
    ]);
    expect(errors('{r1: {ipv4: 0.0.0.0/0}}')).toEqual([
      `0.0.0.0/0 of r1 ${network}`,
      `0.0.0.0/0 of r1 ${range}`,
    ]);
  });
});
