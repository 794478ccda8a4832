import { describe, expect, test } from '@jest/globals';
import { formatPrefix } from '../../../../src/lib/net/ip.ts';
import { readPools } from '../../../../src/engine/topology/pools.ts';
import {
  readNamedPrefixes,
  readPrefix,
  type PrefixRequest,
} from '../../../../src/engine/topology/read-named-prefixes.ts';
import { readingOf, textsOf } from '../../../support/topologies.ts';

/** The parts of a request that are there, with prefixes as text. */
function shown(request: PrefixRequest | undefined): Record<string, unknown> | undefined {
  return (
    request &&
    Object.fromEntries(
      Object.entries(request).map(([key, value]) => [
        key,
        typeof value === 'object' ? formatPrefix(value) : value,
      ]),
    )
  );
}

describe('the prefix of a link', () => {
  const prefixes = new Map<string, PrefixRequest>([['core', { ipv4: true }]]);

  function read(value: string) {
    const reading = readingOf(`prefix: ${value}\n`);
    const context = { ...reading, prefixes, key: 'prefix', where: 'links[1].prefix' };
    const request = shown(readPrefix(reading.source.root, context));
    return { request, errors: textsOf(reading.findings.errors) };
  }

  test.each([
    ['false', { ipv4: false, ipv6: false }],
    ['10.9.0.0/24', { ipv4: '10.9.0.0/24' }],
    ['"2001:DB8::/64"', { ipv6: '2001:db8::/64' }],
    ['core', { ipv4: true }],
    ['{ipv4: 10.9.0.0/24, ipv6: false}', { ipv4: '10.9.0.0/24', ipv6: false }],
    ['{ipv4: true, _name: x, _own: y}', { ipv4: true }],
    ['{allocation: id_based}', { allocation: 'id_based' }],
  ])('%s', (value, request) => expect(read(value)).toEqual({ request, errors: [] }));

  const help = 'links[1].prefix must be an IPv4 or IPv6 prefix such as 10.9.0.0/24, not';

  test.each([
    ['true', [`1:9 ${help} true`]],
    ['', [`1:1 ${help} null`]],
    ['cora', [`1:9 ${help} "cora"; did you mean "core"?`]],
    ['10.9.0.1/24', ['1:9 links[1].prefix "10.9.0.1/24" has host bits set; in a prefix, they must be zero']],
    ['{ipv5: x}', ['1:10 unknown prefix attribute "ipv5"; did you mean "ipv4"?']],
    ['{pool: lan}', ['1:10 links[1].prefix: "pool" is allowed in named prefixes only']],
  ])('%s is wrong', (value, errors) => expect(read(value).errors).toEqual(errors));
});

describe('prefixes with names', () => {
  function read(text: string) {
    const reading = readingOf(text);
    const named = readNamedPrefixes(reading, readPools(reading));
    return {
      named: [...named].map(([name, request]) => [name, shown(request)]),
      errors: textsOf(reading.findings.errors),
    };
  }

  test.each(['nodes: [a]\n', 'prefix:\n', 'prefix: {}\n'])('%j: none', (text) => {
    expect(read(text)).toEqual({ named: [], errors: [] });
  });

  test('are given, or drawn from pools in the order of the file', () => {
    const text = `addressing: {six: {ipv6: 2001:db8:3::/48, allocation: p2p}}
prefix: {a: {ipv4: 10.50.0.0/24, allocation: sequential}, b: {pool: lan}, c: {pool: lan, allocation: id_based}, d: {pool: six, ipv4: true}, e: false}
`;
    expect(read(text)).toEqual({
      errors: [],
      named: [
        ['a', { ipv4: '10.50.0.0/24', allocation: 'sequential' }],
        ['b', { pool: 'lan', ipv4: '172.16.0.0/24' }],
        ['c', { pool: 'lan', allocation: 'id_based', ipv4: '172.16.1.0/24' }],
        ['d', { pool: 'six', ipv4: true, ipv6: '2001:db8:3::/64', allocation: 'p2p' }],
        ['e', { ipv4: false, ipv6: false }],
      ],
    });
  });

  const none = { ipv4: false, ipv6: false };

  test.each([
    ['7', [], ['1:9 prefix must be a map from names to prefixes']],
    [
      '{a: 10.9.0.0/24, b: {ipv4: true}}',
      [
        ['a', none],
        ['b', { ipv4: true }],
      ],
      ['1:13 prefix.a must be a map, such as {ipv4: 10.9.0.0/24}'],
    ],
    ['{a: 7}', [['a', none]], ['1:13 prefix.a must be an IPv4 or IPv6 prefix such as 10.9.0.0/24, not 7']],
    [
      '{a: {pool: 7}}',
      [['a', none]],
      ['1:14 prefix.a: "pool" is allowed in named prefixes only', '1:20 prefix.a.pool must be a word, not 7'],
    ],
    [
      '{a: {pool: lan, ipv5: x, allocation: y}}',
      [['a', { ipv4: '172.16.0.0/24' }]],
      [
        '1:25 unknown prefix attribute "ipv5"; did you mean "ipv4"?',
        '1:46 prefix.a.allocation must be one of p2p, sequential, id_based, not "y"',
      ],
    ],
  ])('%s', (value, named, errors) => expect(read(`prefix: ${value}\n`)).toEqual({ named, errors }));
});
