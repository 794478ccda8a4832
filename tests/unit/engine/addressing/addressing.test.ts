import { describe, expect, test } from '@jest/globals';
import { errorsOf, labOf, warningsOf } from '../../../support/topologies.ts';

const routers = 'nodes: {r1: {role: router}, r2: {role: router}, h1: , h2: }\n';

/** A row per link: its type, its prefixes, and its ends with the names of their interfaces. */
function links(text: string): string[] {
  return labOf(text).links.map(({ linkIndex, type, prefix, ends }) =>
    [
      linkIndex,
      type,
      ...[prefix.ipv4, prefix.ipv6].filter((each) => each !== undefined),
      ...ends.map(({ node, ifname }) => `${node}:${ifname}`),
    ].join(' '),
  );
}

/** Per node with a loopback, the addresses of it. */
function loopbacks(text: string): string[] {
  return labOf(text).nodes.flatMap(({ name, loopback }) =>
    loopback === null ? [] : [`${name} ${loopback.ipv4 ?? '-'} ${loopback.ipv6 ?? '-'}`],
  );
}

describe('the type of a link', () => {
  test('follows from its ends, unless it is given; interfaces of loopback links count apart', () => {
    const text = `${routers}links:\n- r1-r2\n- r1\n- h1\n- h1-h2\n- r1-h1\n- r1-r2-h2\n- {r1: , r2: , type: lan}\n- {r1: , h1: , type: p2p}\n- {r1: , type: loopback}\n- {h1: , type: stub}\n- {r1: , type: loopback}\n- {r1: , type: lan}\n`;
    expect(links(text)).toEqual([
      '1 p2p 10.1.0.0/30 r1:eth1 r2:eth1',
      '2 stub 172.16.0.0/24 r1:eth2',
      '3 lan 172.16.1.0/24 h1:eth1',
      '4 lan 172.16.2.0/24 h1:eth2 h2:eth1',
      '5 lan 172.16.3.0/24 r1:eth3 h1:eth3',
      '6 lan 172.16.4.0/24 r1:eth4 r2:eth2 h2:eth2',
      '7 lan 10.1.0.4/30 r1:eth5 r2:eth3',
      '8 p2p 172.16.5.0/24 r1:eth6 h1:eth4',
      '9 loopback 172.16.6.0/24 r1:lo1',
      '10 stub 172.16.7.0/24 h1:eth5',
      '11 loopback 172.16.8.0/24 r1:lo2',
      '12 lan 172.16.9.0/24 r1:eth7',
    ]);
  });

  test.each([
    ['[]', ['2:9 links[1] has no nodes']],
    ['{r1: , r2: , type: stub}', ['2:9 links[1]: a stub has one node, not 2']],
    ['{r1: , type: p2p}', ['2:9 links[1]: a p2p link has two nodes, not 1']],
    ['{r1: , r2: , h1: , type: p2p}', ['2:9 links[1]: a p2p link has two nodes, not 3']],
  ])('of %s', (link, errors) => expect(errorsOf(`${routers}links: [${link}]\n`)).toEqual(errors));

  test('is right with as many ends as a bridge has ports, and with one more it is not', () => {
    const many = (count: number) =>
      errorsOf(`nodes: [n]\nlinks: [{interfaces: [${Array(count).fill('n').join(', ')}], prefix: false}]\n`);
    expect(many(1023)).toEqual([]);
    expect(many(1024)).toEqual(['2:9 links[1] has 1024 ends; a bridge has at most 1023']);
  });

  test('is no reason to count a link that is wrong: the others keep their pool, and their errors', () => {
    expect(errorsOf(`${routers}links: [{r1: , type: p2p}, {r1: {ipv4: 300}, r2: }]\n`)).toEqual([
      '2:9 links[1]: a p2p link has two nodes, not 1',
      '2:29 links[2]: r1 has host number 300, which is outside 10.1.0.0/30',
    ]);
  });
});

describe('the prefix of a link', () => {
  const pools =
    'addressing: {core: {ipv4: 10.60.0.0/16}, stub: {ipv4: 10.61.0.0/16}, seq: {ipv4: 10.62.0.0/16, allocation: sequential}, both: {ipv4: 10.63.0.0/16, ipv6: 2001:db8:3::/48}}\n';

  test.each([
    ['{r1: , r2: , pool: core}', '1 p2p 10.60.0.0/24'],
    ['{r1: , r2: , pool: core, role: seq}', '1 p2p 10.60.0.0/24'],
    ['{r1: , r2: , role: nothing}', '1 p2p 10.1.0.0/30'],
    ['{r1: , role: nothing}', '1 stub 10.61.0.0/24'],
    ['r1-h1-h2', '1 lan 10.61.0.0/24'],
    ['{h1: , h2: , role: core}', '1 lan 10.60.0.0/24'],
    ['{r1: , r2: , pool: both}', '1 p2p 10.63.0.0/24 2001:db8:3::/64'],
    ['{r1: , r2: , pool: both, prefix: 10.9.0.0/24}', '1 p2p 10.9.0.0/24'],
    ['{r1: , r2: , pool: core, prefix: "2001:db8::/64"}', '1 p2p 2001:db8::/64'],
    ['{r1: , r2: , pool: core, prefix: {allocation: sequential}}', '1 p2p 10.60.0.0/24'],
    ['{r1: , r2: , unnumbered: true, prefix: 10.9.0.0/24}', '1 p2p 10.9.0.0/24'],
    ['{r1: , r2: , prefix: {ipv4: true, ipv6: "2001:db8::/64"}}', '1 p2p 2001:db8::/64'],
  ])('%s: %s', (link, expected) => {
    const [row = ''] = links(`${pools}${routers}links: [${link}]\n`);
    expect(row.replace(/( \w+:eth\d)+$/, '')).toBe(expected);
  });

  test('says how host numbers are given, over what its pool says', () => {
    const first = (link: string) =>
      labOf(`${pools}${routers}links: [${link}]\n`).nodes.flatMap(({ interfaces }) =>
        interfaces.map(({ ipv4 }) => ipv4),
      );
    expect(first('{h2: , h1: , pool: seq}')).toEqual(['10.62.0.2/24', '10.62.0.1/24']);
    expect(first('{h2: , h1: , pool: seq, prefix: {allocation: id_based}}')).toEqual([
      '10.62.0.3/24',
      '10.62.0.4/24',
    ]);
  });

  test('is from no other pool where that of the link is unknown', () => {
    const errors = errorsOf(`${routers}links: [{r1: , r2: , pool: p2q, role: core}]\n`);
    expect(errors).toEqual(['2:9 links[1]: there is no address pool "p2q"; did you mean "p2p"?']);
  });
});

describe('a loopback', () => {
  const head =
    'addressing: {loopback: {ipv6: 2001:db8:4::/48}, small: {ipv4: 10.5.0.0/16, prefix: 30}, v: {ipv6: 2001:db8:5::/48, prefix6: 128}}\n';

  test('has addresses of its pool by the id of its node: the first of a network, or all of it', () => {
    const text = `${head}nodes: {a: {role: router, id: 7}, b: {role: router, loopback: {pool: small}}, c: {role: router, loopback: {pool: v}}, h: }\n`;
    expect(loopbacks(text)).toEqual([
      'a 10.0.0.7/32 2001:db8:4:7::1/64',
      'b 10.5.0.1/30 -',
      'c - 2001:db8:5::2/128',
    ]);
  });

  test('has what the node says of it, or nothing, and takes from its pool all the same', () => {
    const loopback = (text: string) => loopbacks(`${head}nodes: {a: {role: router, loopback: ${text}}}\n`);
    expect(loopback('{ipv4: 10.77.0.9/30}')).toEqual(['a 10.77.0.9/30 2001:db8:4:1::1/64']);
    expect(loopback('{ipv4: false}')).toEqual(['a - 2001:db8:4:1::1/64']);
    expect(loopback('{ipv4: true, ipv6: false}')).toEqual(['a 10.0.0.1/32 -']);
    expect(loopback('false')).toEqual([]);
    const unnumbered = `addressing: {u: {ipv4: true}}\nnodes: {a: {role: router, loopback: {pool: u}}}\n`;
    expect(loopbacks(unnumbered)).toEqual(['a - -']);
  });
});

describe('an address that two have', () => {
  test('on one link is an error of the later one, in each family', () => {
    const text = `${routers}links:\n- {r1: {ipv4: 5}, r2: {ipv4: 5}, prefix: 10.8.0.0/24}\n- h1-h1\n- {r1: , r2: {ipv6: "2001:db8::1/64"}, prefix: "2001:db8::/64"}\n`;
    expect(errorsOf(text)).toEqual([
      '3:19 10.8.0.5/24 of r2 on links[1] is also the address of r1 on links[1]',
      '4:3 172.16.0.3/24 of h1 on links[2] is also the address of h1 on links[2]',
      '5:10 2001:db8::1/64 of r2 on links[3] is also the address of r1 on links[3]',
    ]);
  });

  test('elsewhere is a warning, and the first who has it is named', () => {
    const text = `${routers}links:\n- {r1: {ipv4: 10.8.0.5/24}}\n- {h1: {ipv4: 10.8.0.5/24}, r2: {ipv4: false}}\n- {h2: {ipv4: 10.8.0.5/24}}\n`;
    expect(warningsOf(text).filter((warning) => warning.includes('also'))).toEqual([
      '4:4 10.8.0.5/24 of h1 on links[2] is also the address of r1 on links[1]',
      '5:4 10.8.0.5/24 of h2 on links[3] is also the address of r1 on links[1]',
    ]);
    const two = `nodes: {a: {role: router}, b: {role: router, loopback: {ipv4: 10.0.0.1/32}}}\n`;
    expect(warningsOf(two)).toEqual([
      '1:28 10.0.0.1/32 of the loopback of b is also the address of the loopback of a',
      '1:28 10.0.0.1/32 of the loopback of b is in 10.0.0.1/32 of the loopback of a: some addresses will be unreachable',
    ]);
  });
});

/** `a 1 in b 2` for each warning about networks of these links. */
function overlaps(...networks: string[]): string[] {
  const all = networks.map((network) => `{h1: , prefix: "${network}"}`).join(', ');
  return warningsOf(`${routers}links: [${all}]\n`).flatMap((warning) => {
    const [, ...found] = /^\S+ (\S+) of links\[(\d)\] is in (\S+) of links\[(\d)\]: /.exec(warning) ?? [];
    return found.length === 0 ? [] : [`${found[0]} ${found[1]} in ${found[2]} ${found[3]}`];
  });
}

describe('networks that overlap get a warning', () => {
  test.each([
    ['not beside each other', ['10.8.0.0/24', '10.8.1.0/24'], []],
    ['a wide one behind a narrow one', ['10.8.5.0/24', '10.8.0.0/16'], ['10.8.5.0/24 1 in 10.8.0.0/16 2']],
    [
      'the widest is named, for all in it and nothing behind it',
      ['10.8.0.0/16', '10.8.1.0/24', '10.8.1.128/25', '10.9.0.0/24', '10.9.0.0/30'],
      [
        '10.8.1.0/24 2 in 10.8.0.0/16 1',
        '10.8.1.128/25 3 in 10.8.0.0/16 1',
        '10.9.0.0/30 5 in 10.9.0.0/24 4',
      ],
    ],
    ['one twice: the later', ['10.8.0.0/24', '10.8.0.0/24'], ['10.8.0.0/24 2 in 10.8.0.0/24 1']],
    [
      'the families apart',
      ['10.8.0.0/16', '2001:db8::/64', '2001:db8::/48'],
      ['2001:db8::/64 2 in 2001:db8::/48 3'],
    ],
  ])('%s', (_what, networks, expected) => expect(overlaps(...networks)).toEqual(expected));
});

describe('a warning', () => {
  test('says where ends of a link are in several networks of one family', () => {
    const warnings = (link: string) => warningsOf(`${routers}links: [${link}]\n`);
    expect(warnings('{r1: {ipv4: 10.2.1.1/24}, r2: {ipv4: 10.3.1.1/24}}')).toEqual([
      '2:9 links[1] has ends in different networks, which cannot reach each other: 10.2.1.0/24, 10.3.1.0/24',
    ]);
    expect(warnings('{r1: {ipv4: 10.2.1.1/24}, r2: {ipv4: 10.2.1.2/24, ipv6: "2001:db8::1/64"}}')).toEqual(
      [],
    );
    expect(warnings('{r1: {ipv6: "2001:db8::1/64"}, r2: {ipv6: "2001:db8:1::1/64"}}')).toEqual([
      '2:9 links[1] has ends in different networks, which cannot reach each other: 2001:db8::/64, 2001:db8:1::/64',
    ]);
  });

  test('says which end has no IPv4 address because its loopback has none', () => {
    const nodes =
      'nodes: {r1: {role: router}, r2: {role: router, loopback: {ipv4: false, ipv6: 2001:db8::2/128}}, h1: }\n';
    const none = (where: string) =>
      `${where} has no IPv4 address, because its node has no loopback with one (add loopback: true)`;
    expect(warningsOf(`${nodes}links: [{r1: , r2: , h1: , prefix: {ipv4: true}}]\n`)).toEqual([
      none('2:16 r2 on links[1]'),
      none('2:22 h1 on links[1]'),
    ]);
    expect(warningsOf(`${nodes}links: [{r1: , r2: , h1: , prefix: {ipv6: true}}]\n`)).toEqual([]);
  });
});

test('the MTU of an interface: its own, else that of the link, else that of the node; of a loopback none', () => {
  const lab = labOf(
    'nodes: {a: {mtu: 1400}, b: }\nlinks: [{a: , b: , mtu: 1300}, {a: , b: {mtu: 9000}}, {a: , type: loopback, mtu: 1300}]',
  );
  const sizes = lab.nodes.map(({ interfaces }) =>
    interfaces.map(({ ifname, mtu }) => [ifname, mtu ?? '-'].join(' ')),
  );
  expect(sizes).toEqual([
    ['eth1 1300', 'eth2 1400', 'lo1 -'],
    ['eth1 1300', 'eth2 9000'],
  ]);
  expect(lab.nodes[0]!.interfaces[2]).not.toHaveProperty('mtu');
});
