import { describe, expect, test } from '@jest/globals';
import { formatPrefix, type Prefix } from '../../../../src/lib/net/ip.ts';
import { readPools } from '../../../../src/engine/topology/pools.ts';
import { readingOf, textsOf } from '../../../support/topologies.ts';

function poolsOf(text: string) {
  const reading = readingOf(text);
  const pools = readPools(reading);
  const errors = () => textsOf(reading.findings.errors);
  return { pools, errors };
}

const shown = (prefix: Prefix | true | undefined): string =>
  prefix === undefined ? '-' : prefix === true ? 'true' : formatPrefix(prefix);

/** The prefixes drawn from pool `p` of `addressing`, in order: the next prefix, or the prefix with a number. */
function drawn(addressing: string, name: string, numbers: readonly (number | undefined)[]): string[] {
  const { pools, errors } = poolsOf(`addressing: {${addressing}}\n`);
  const found = numbers.map((n) => {
    const { ipv4, ipv6, unnumbered, allocation } = pools.draw(name, { origin: 0, what: 'x' }, n);
    return [shown(ipv4), shown(ipv6), unnumbered && 'unnumbered', allocation].filter(Boolean).join(' ');
  });
  expect(errors()).toEqual([]);
  return found;
}

const next = undefined;

describe('the next of a pool', () => {
  test.each([
    ['', 'lan', ['172.16.0.0/24 -', '172.16.1.0/24 -', '172.16.2.0/24 -']],
    ['', 'p2p', ['10.1.0.0/30 -', '10.1.0.4/30 -', '10.1.0.8/30 -']],
    ['', 'loopback', ['10.0.0.1/32 -', '10.0.0.2/32 -', '10.0.0.3/32 -']],
    ['', 'mgmt', ['192.168.121.0/24 -', '- -', '- -']],
    ['p: {ipv4: 10.9.0.0/16, prefix: 31}', 'p', ['10.9.0.0/31 -', '10.9.0.2/31 -', '10.9.0.4/31 -']],
    [
      'my_loopbacks: {ipv4: 10.9.0.0/16}',
      'my_loopbacks',
      ['10.9.0.1/32 -', '10.9.0.2/32 -', '10.9.0.3/32 -'],
    ],
    ['p: {ipv6: "2001:db8::/48"}', 'p', ['- 2001:db8::/64', '- 2001:db8:0:1::/64', '- 2001:db8:0:2::/64']],
    [
      'p: {ipv6: "2001:db8::/48", prefix6: 127}',
      'p',
      ['- 2001:db8::2/127', '- 2001:db8::4/127', '- 2001:db8::6/127'],
    ],
    [
      'p: {ipv6: "2001:db8::/48", prefix6: 128}',
      'p',
      ['- 2001:db8::1/128', '- 2001:db8::2/128', '- 2001:db8::3/128'],
    ],
    [
      'lan: {ipv6: "2001:db8::/48"}',
      'lan',
      ['172.16.0.0/24 2001:db8::/64', '172.16.1.0/24 2001:db8:0:1::/64', '172.16.2.0/24 2001:db8:0:2::/64'],
    ],
    ['lan: {ipv4: false}', 'lan', ['- -', '- -', '- -']],
    [
      'lan: {ipv4: true, ipv6: "2001:db8::/48"}',
      'lan',
      ['true 2001:db8::/64', 'true 2001:db8:0:1::/64', 'true 2001:db8:0:2::/64'],
    ],
    ['lan: {unnumbered: true}', 'lan', Array<string>(3).fill('- - unnumbered')],
    ['lan: "2001:db8::/48"', 'lan', ['- 2001:db8::/64', '- 2001:db8:0:1::/64', '- 2001:db8:0:2::/64']],
  ])('{%s} %s', (addressing, name, expected) => {
    const times = name === 'mgmt' ? 1 : 3;
    expect(drawn(addressing, name, Array<undefined>(times).fill(next))).toEqual(expected.slice(0, times));
  });

  test('with a number: counted from the first that was left, and what comes next lies behind it', () => {
    expect(drawn('', 'loopback', [3, 1, next, 4, next])).toEqual([
      '10.0.0.3/32 -',
      '10.0.0.1/32 -',
      '10.0.0.4/32 -',
      '10.0.0.4/32 -',
      '10.0.0.5/32 -',
    ]);
    expect(drawn('', 'p2p', [next, 1, 5, 1, next])).toEqual([
      '10.1.0.0/30 -',
      '10.1.0.4/30 -',
      '10.1.0.20/30 -',
      '10.1.0.4/30 -',
      '10.1.0.24/30 -',
    ]);
  });
});

describe('a pool without room', () => {
  test('is an error, once for each pool and family', () => {
    const { pools, errors } = poolsOf(
      'addressing: {p: {ipv4: 10.7.0.0/30, prefix: 31}, q: {ipv4: 10.6.0.0/24, ipv6: "2001:db8::/56", prefix6: 56}}\n',
    );
    const draw = (name: string, what: string, n?: number) => {
      const { ipv4, ipv6 } = pools.draw(name, { origin: 0, what }, n);
      return `${shown(ipv4)} ${shown(ipv6)}`;
    };
    expect(['a', 'b', 'c', 'd'].map((what) => draw('p', what))).toEqual([
      '10.7.0.0/31 -',
      '10.7.0.2/31 -',
      '- -',
      '- -',
    ]);
    expect(draw('p', 'e', 9)).toBe('- -');
    expect(draw('q', 'e')).toBe('10.6.0.0/24 2001:db8::/56');
    expect(draw('q', 'f')).toBe('- -');
    expect(errors()).toEqual([
      '1:1 pool p (10.7.0.0/30) has no prefix left for c; enlarge it with addressing.p.ipv4',
      '1:1 pool q (10.6.0.0/24) has no prefix left for f; enlarge it with addressing.q.ipv4',
      '1:1 pool q (2001:db8::/56) has no prefix left for f; enlarge it with addressing.q.ipv6',
    ]);
  });

  test('or of a name that there is none of', () => {
    const { pools, errors } = poolsOf('addressing: {core: {}}\n');
    const purpose = { origin: 0, what: 'links[1]' };
    expect([pools.draw('cora', purpose), pools.draw('xyz', purpose)]).toEqual([{}, {}]);
    expect(errors()).toEqual([
      '1:1 links[1]: there is no address pool "cora"; did you mean "core"?',
      '1:1 links[1]: there is no address pool "xyz"',
    ]);
    expect(['core', 'lan', 'cora'].map((name) => pools.has(name))).toEqual([true, true, false]);
  });
});

test('the prefixes of all pools that are used, or usually are', () => {
  const { pools } = poolsOf(
    'addressing: {x: {ipv4: 10.9.0.0/16, ipv6: "2001:db8::/48"}, y: {ipv4: true}, z: {ipv4: 10.8.0.0/16, unnumbered: true}}\n',
  );
  const usual = ['10.0.0.0/24', '172.16.0.0/16', '10.1.0.0/16', '10.9.0.0/16', '2001:db8::/48'];
  expect(pools.prefixes.map(formatPrefix)).toEqual(usual);
  for (const name of ['mgmt', 'vrf_loopback', 'router_id']) pools.draw(name, { origin: 0, what: 'x' });
  expect(pools.prefixes.map(formatPrefix)).toEqual([
    '10.0.0.0/24',
    '172.16.0.0/16',
    '10.1.0.0/16',
    '10.2.0.0/24',
    '10.0.0.0/24',
    '192.168.121.0/24',
    '10.9.0.0/16',
    '2001:db8::/48',
  ]);
});

describe('addressing', () => {
  test('goes over defaults.addressing, and that over the pools of netlab', () => {
    const { pools, errors } = poolsOf(
      'defaults.addressing: {lan: {ipv4: 10.44.0.0/16, prefix: 26}, p2p: {prefix: 29}}\naddressing: {lan: {ipv4: 10.45.0.0/16}}\n',
    );
    const draw = (name: string) => shown(pools.draw(name, { origin: 0, what: 'x' }).ipv4);
    expect(['lan', 'p2p'].map(draw)).toEqual(['10.45.0.0/26', '10.1.0.0/29']);
    expect(errors()).toEqual([]);
  });

  test.each([
    ['addressing: 7', ['1:13 addressing must be a map from pools to prefixes']],
    ['defaults.addressing: [x]', ['1:22 defaults.addressing must be a map from pools to prefixes']],
    [
      'addressing: {9x: {}}',
      [
        '1:14 the name of a pool must begin with a letter or an underscore and have at most 16 letters, digits, underscores and hyphens, unlike "9x"',
      ],
    ],
    [
      'defaults.addressing: {a: 10.9.0.1/16}',
      ['1:26 defaults.addressing.a "10.9.0.1/16" has host bits set; in a prefix, they must be zero'],
    ],
    [
      'addressing: {p2p: {prefix: 15}}',
      ['1:14 addressing.p2p: prefixes of length 15 do not fit into 10.1.0.0/16'],
    ],
    [
      'addressing: {a: {ipv4: 10.0.0.0/33, prefix: 33, prefix6: 129, unnumbered: false, allocation: x, prefx: 1}}',
      [
        '1:24 addressing.a.ipv4 must be an IPv4 prefix such as 10.9.0.0/24, not "10.0.0.0/33"',
        '1:45 addressing.a.prefix must be a whole number from 1 to 32, not 33',
        '1:58 addressing.a.prefix6 must be a whole number from 1 to 128, not 129',
        '1:75 addressing.a.unnumbered must be true or absent',
        '1:94 addressing.a.allocation must be one of p2p, sequential, id_based, not "x"',
        '1:97 unknown pool attribute "prefx"; did you mean "prefix"?',
      ],
    ],
    ['addressing: {p2p: {prefix: 16}}', []],
    [
      'addressing: {a: {ipv6: "2001:db8::/57"}}',
      ['1:14 addressing.a.ipv6: a pool cannot be longer than /56, unlike 2001:db8::/57'],
    ],
    ['addressing: {a: {ipv6: "2001:db8::/56"}}', []],
    [
      'addressing: {a: {ipv4: 10.9.0.0/30}}',
      ['1:14 addressing.a: prefixes of length 24 do not fit into 10.9.0.0/30'],
    ],
    ['addressing: {mgmt: {ipv4: 10.9.0.0/30, ipv6: "2001:db8::/64"}}', []],
    ['addressing: {loopback: {ipv4: false}}', ['1:14 addressing.loopback has no prefix: routers need one']],
    ['addressing: {loopback: {ipv4: true}}', ['1:14 addressing.loopback has no prefix: routers need one']],
    ['addressing: {loopback: {ipv4: , ipv6: "2001:db8::/48"}}', []],
  ])('%s', (text, errors) => expect(poolsOf(`${text}\n`).errors()).toEqual(errors));
});
