import { describe, expect, test } from '@jest/globals';
import { prefixOf, readSearch } from '../../../../src/labs/search/search-query.ts';

const shown = (text: string) => {
  const query = readSearch(text);
  return typeof query === 'string' ? query : [query.kind, query.text];
};

describe('a search', () => {
  test.each([
    ['10.1.0.5', 'address', '10.1.0.5'],
    [' 10.1.0.5\t', 'address', '10.1.0.5'],
    ['2001:DB8:0:0::0001', 'address', '2001:db8::1'],
    ['::', 'address', '::'],
    ['::ffff:10.1.0.5', 'address', '10.1.0.5'],
    ['::FFFF:0a01:0005', 'address', '10.1.0.5'],
    ['::ffff:10.1.0.0/112', 'prefix', '10.1.0.0/16'],
    ['::/0', 'prefix', '::/0'],
    ['10.1.0.6/30', 'prefix', '10.1.0.4/30'],
    ['as:65001', 'as', '65001'],
    ['AS65001', 'as', '65001'],
    ['as 65001', 'as', '65001'],
    ['as:1.10', 'as', '65546'],
    ['AS: 4294967295', 'as', '4294967295'],
    ['module:OSPF', 'module', 'ospf'],
    ['Device: frr', 'device', 'frr'],
    ['Spine', 'name', 'spine'],
    ['7', 'name', '7'],
    ['foo/bar', 'name', 'foo/bar'],
    ['v1.2', 'name', 'v1.2'],
    ['as99999999999', 'name', 'as99999999999'],
    ['as', 'name', 'as'],
    ['naïve', 'name', 'naïve'],
  ])('%j is for %s %s', (text, kind, value) => expect(shown(text)).toEqual([kind, value]));

  test('for an AS without a colon is for a name, too', () => {
    expect(readSearch('AS65001')).toMatchObject({ as: 65_001, name: 'as65001' });
    expect(readSearch('as:65001')).toMatchObject({ as: 65_001, name: undefined });
  });

  test.each([
    ['', 'must not be empty: give an address (10.1.0.5'],
    [' \n', 'must not be empty'],
    ['x'.repeat(201), 'must not be over 200 characters'],
    ['1'.repeat(10_000), 'must not be over 200 characters'],
    ['a\u0000b', 'must not have control characters'],
    ['r1\u202e', 'must not have control characters'],
    ['10.0.0.0/33', '"10.0.0.0/33" has no prefix length from 0 to 32 after the /'],
    ['::/129', 'has no prefix length from 0 to 128 after the /'],
    ['10.0.0.0/', 'has no prefix length'],
    ['10.0.0.0/8/9', 'has no prefix length'],
    ['10.0.0.0/-1', 'has no prefix length'],
    ['10.0.0.0/08', 'has no prefix length'],
    ['10.1', '"10.1" is no address or prefix: give'],
    ['10.1.0.', 'is no address or prefix'],
    ['10.0.0.256', 'is no address or prefix'],
    ['010.0.0.1', 'is no address or prefix'],
    ['...', 'is no address or prefix'],
    ['1::2::3', 'is no address or prefix'],
    ['fe80::1%eth0', '"fe80::1%eth0" has a zone: leave out what follows the %'],
    ['fe80::1%eth0/64', 'has a zone'],
    ['10.0.0.1%eth0', 'has a zone'],
    ['as:', 'must have a word after "as:", such as 65001'],
    ['module: ', 'must have a word after "module:"'],
    ['as:x', '"x" is no AS number: give one from 0 to 4294967295'],
    ['as:4294967296', 'is no AS number'],
    ['as:70000.1', 'is no AS number'],
    ['as:-1', 'is no AS number'],
    ['vlan:7', 'there is no search for "vlan:"; give'],
    ['http://10.0.0.1/', 'there is no search for "http:"'],
  ])('%j is refused with what to do', (text, words) => expect(shown(text)).toContain(words));
});

test('a mapped IPv4 address of a topology is IPv4, and what is no address is none', () => {
  expect(prefixOf('::ffff:10.0.0.1/120')).toEqual({ family: 'ipv4', bits: 0x0a000001n, length: 24 });
  expect(prefixOf('::ffff:10.0.0.1/64')).toMatchObject({ family: 'ipv6', length: 64 });
  expect(prefixOf('10.0.0.1')).toEqual({ family: 'ipv4', bits: 0x0a000001n, length: 32 });
  expect(prefixOf('true')).toBeUndefined();
});
