import { describe, expect, test } from '@jest/globals';
import { errorsOf } from '../../../support/topologies.ts';

const install = 'netlab runs it: install netlab';
const unsupported = `that the bundled engine does not support; ${install}`;
const routers = 'nodes: {r1: {role: router}, r2: {role: router}, h1: }';

interface Case {
  readonly name: string;
  readonly text: string;
  /** Every error of the topology. */
  readonly errors: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: 'links that are none',
    text: 'nodes: [a]\nlinks: 7\n',
    errors: ['2:8 links must be a list, or a map of lists'],
  },
  {
    name: 'unknown nodes in links of every form',
    text: `${routers}\nlinks:\n- r1-x9\n- [r1, rr2]\n- {r1: , x: }\n- interfaces: [r1, {node: y}, {nod: r1}, 7]\n- 7\n- r1-\n- {r1: 7}\n- {interfaces: r1}\n`,
    errors: [
      '3:3 links[1]: there is no node "x9"',
      '4:8 links[2]: there is no node "rr2"; did you mean "r2"?',
      '5:10 links[3]: "x" is neither a node nor an attribute of a link',
      '6:20 links[4]: there is no node "y"',
      '6:31 links[4]: an end of a link is a node, or a map with "node"',
      '6:42 links[4]: an end of a link is a node, or a map with "node"',
      '7:3 links[5]: a link is "a-b", [a, b], or a map',
      '8:3 links[6]: an end of the link has no name',
      '9:4 links[7]: "r1" must be followed by a map, or by nothing',
      '10:3 links[8].interfaces must be a list',
    ],
  },
  {
    name: 'attributes of links',
    text: `${routers}\nlinks:\n- {r1: , r2: , typ: lan}\n- {r1: , r2: , type: lna}\n- {r1: , r2: , type: tunnel}\n- {r1: , r2: , disable: 3}\n`,
    errors: [
      '3:16 links[1]: "typ" is neither a node nor an attribute of a link; did you mean "type"?',
      '4:22 links[2].type must be one of p2p, lan, stub, loopback, not "lna"',
      `5:22 links[3].type "tunnel" is a value of netlab ${unsupported}`,
      '6:25 links[4].disable must be true or false',
    ],
  },
  {
    name: 'groups of links',
    text: `${routers}\nlinks:\n- {members: [r1-r2]}\n- {group: g}\n- {group: g, r1: , members: [r1-r2]}\n- {group: g, type: tunnel, members: [r1-r2, r2-r1]}\n- {group: g, members: [r1-r9, {r1: , disable: true}, 7, {group: h, members: []}]}\n- {group: g, interfaces: [r1], members: [r1-r2]}\n`,
    errors: [
      '3:3 links[1]: links with "members" are a group and need its name: group must begin with a letter or an underscore and have at most 16 letters, digits, underscores and hyphens',
      '4:3 links[2]: a group of links needs "members", a list of links',
      '5:3 links[3]: the nodes of a group of links stand in its members',
      `6:20 links[4].type "tunnel" is a value of netlab ${unsupported}`,
      '7:24 links[g][1]: there is no node "r9"',
      '7:38 links[g][2]: "disable" cannot be in a member of a group of links; take the link out of the group',
      '7:54 links[g][3]: a link is "a-b", [a, b], or a map',
      '7:58 links[g][4]: "group" cannot be in a member of a group of links; take the link out of the group',
      '7:68 links[g][4]: "members" cannot be in a member of a group of links; take the link out of the group',
      '8:3 links[6]: the nodes of a group of links stand in its members',
    ],
  },
  {
    name: 'addresses and prefixes that are none',
    text: `${routers}\nlinks:\n- {r1: {ipv4: 10.0.0.300}, r2: {ipv6: 10.0.0.1}}\n- {r1: {ipv4: true}, r2: {ipv4: -1}}\n- {r1: , r2: , prefix: 10.9.0.1/24}\n- {r1: , r2: , prefix: lan7}\n- {r1: , r2: , prefix: {ipv4: 2001:db8::/64, ipv5: x}}\n- {r1: , r2: , prefix: true}\n- {r1: {ipv4: 127.0.0.1/8}, r2: {ipv6: ff02::1/64}}\n`,
    errors: [
      '3:15 links[1].r1.ipv4 must be an IPv4 address, a host number or false, not "10.0.0.300"',
      '3:39 links[1].r2.ipv6 must be an IPv6 address, a host number or false, not "10.0.0.1"',
      '4:33 links[2].r2.ipv4 must be an IPv4 address, a host number or false, not -1',
      '5:24 links[3].prefix "10.9.0.1/24" has host bits set: a prefix ends in zeros',
      '6:24 links[4].prefix must be an IPv4 or IPv6 prefix such as 10.9.0.0/24, not "lan7"',
      '7:31 links[5].prefix.ipv4 must be an IPv4 prefix such as 10.9.0.0/24, not "2001:db8::/64"',
      '7:46 unknown prefix attribute "ipv5"; did you mean "ipv4"?',
      '8:24 links[6].prefix must be an IPv4 or IPv6 prefix such as 10.9.0.0/24, not true',
      '9:15 links[7].r1.ipv4 "127.0.0.1/8" is in the loopback range 127.0.0.0/8, which no interface may use',
      '9:40 links[7].r2.ipv6 "ff02::1/64" is in the multicast range ff00::/8, which no interface may use',
    ],
  },
  {
    name: 'an address from a DHCP server, and a named prefix as text',
    text: `${routers}\nprefix: {core: 10.9.0.0/24}\nlinks: [{r1: {ipv4: dhcp}, r2: }]\n`,
    errors: [
      '2:16 prefix.core must be a map, such as {ipv4: 10.9.0.0/24}',
      `3:21 links[1].r1.ipv4 must not be dhcp: addresses from a server are a feature of netlab; ${install}`,
    ],
  },
  {
    name: 'pools that are exhausted',
    text: `addressing: {p2p: {ipv4: 10.7.0.0/30}, loopback: {ipv4: 10.6.0.0/31}}\n${routers}\nlinks:\n- r1-r2\n- r1-r2\n- r1-r2\n`,
    errors: [
      '2:29 pool loopback (10.6.0.0/31) has no address for nodes.r2.loopback with id 2; give it more with addressing.loopback.ipv4',
      '5:3 pool p2p (10.7.0.0/30) has no prefix left for links[2]; give it more with addressing.p2p.ipv4',
    ],
  },
  {
    name: 'pools that are none',
    text: 'addressing:\n  lan: {ipv4: 10.0.0.0/33, prefx: 24}\n  p2p: {prefix: 8}\n  a: 7\n  b: {ipv6: 2001:db8::/60}\n  c: {prefix: 40}\n  d: {unnumbered: false}\nnodes: [a]\n',
    errors: [
      '2:15 addressing.lan.ipv4 must be an IPv4 prefix such as 10.9.0.0/24, not "10.0.0.0/33"',
      '2:28 unknown pool attribute "prefx"; did you mean "prefix"?',
      '3:3 addressing.p2p: prefixes of length 8 do not fit into 10.1.0.0/16',
      '4:6 addressing.a must be an IPv4 or IPv6 prefix such as 10.9.0.0/24, not 7',
      '5:3 addressing.b.ipv6: a pool cannot be longer than /56, unlike 2001:db8::/60',
      '6:15 addressing.c.prefix must be a whole number from 1 to 32, not 40',
      '7:19 addressing.d.unnumbered must be true, or not be there at all',
    ],
  },
  {
    name: 'no loopback pool',
    text: 'addressing.loopback: {ipv4: false}\nnodes: [a]\n',
    errors: ['1:1 addressing.loopback has no prefix: routers need one'],
  },
  {
    name: 'unknown pools',
    text: `${routers}\nprefix: {a: {pool: lna}}\nlinks: [{r1: , r2: , pool: core}]\n`,
    errors: ['2:20 prefix.a: there is no address pool "lna"; did you mean "lan"?'],
  },
  {
    name: 'an unknown pool of a link',
    text: `${routers}\nlinks: [{r1: , r2: , pool: core}]\n`,
    errors: ['2:9 links[1]: there is no address pool "core"'],
  },
];

describe('every error in links, addresses and pools, with line and column', () => {
  test.each(cases)('$name', ({ text, errors }) => expect(errorsOf(text)).toEqual(errors));
});
