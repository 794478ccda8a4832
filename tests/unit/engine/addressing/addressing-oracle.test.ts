import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Addresses, Lab } from '../../../../src/engine/core/lab.ts';
import { plainExamples } from '../../../support/example-labs.ts';
import { netlab, netlabLab } from '../../../support/netlab-oracle.ts';
import { randomTopology } from '../../../support/random-topology.ts';
import { partOfTests } from '../../../support/thorough.ts';
import { errorsOf, labOf, warningsOf } from '../../../support/topologies.ts';

const because = netlab.missing === undefined ? '' : ` (skipped: ${netlab.missing})`;
const it = netlab.missing === undefined ? test : test.skip;
/** The head of every topology here: netlab needs a device, and a setting that allows Linux routers. */
const head = 'provider: clab\ndefaults.device: linux\ndefaults.warnings.nodes.roles: False\n';
const nodes = 'nodes: {r1: {role: router}, r2: {role: router}, r3: {role: router}, h1: , h2: }';

const topologies: Readonly<Record<string, string>> = {
  'stub pool for links with one router at most': `
addressing: {stub: {ipv4: 10.8.0.0/16}}
${nodes}
links: [r1, h1, r1-h1, h1-h2, r1-r2-h1, r1-r2]`,
  'pools by name and by role': `
addressing: {core: {ipv4: 10.60.0.0/16}, x: {ipv6: 2001:db8:1::/48, ipv4: 10.61.0.0/16, prefix: 31}}
${nodes}
links: [{r1: , r2: , pool: core}, {r1: , r2: , role: x}, {r1: , r3: , role: x}, {r1: , role: nothing}, {r2: , pool: l2only}]`,
  'IPv6 pools': `
addressing: {lan: {ipv6: 2001:db8:2::/48}, p2p: {ipv6: 2001:db8:3::/48, prefix6: 127}, loopback: {ipv6: 2001:db8:4::/48}}
${nodes}
links: [r1-r2, r1-h1, r3, r1-r2-r3-h1-h2]`,
  'pools as text, and loopbacks with a network': `
addressing: {lan: 10.44.0.0/16, p2p: 10.45.0.0/16, loopback: {prefix: 30}}
${nodes}
links: [r1-r2, r1-h1]`,
  'IPv4 switched off': `
addressing: {p2p: {ipv4: false, ipv6: 2001:db8:3::/48}}
${nodes}
links: [r1-r2, {r1: , r3: , prefix: {ipv4: false, ipv6: 2001:db8::/64}}, {r2: , r3: , prefix: false}]`,
  'named prefixes, from pools first': `
prefix: {foo: {ipv4: 10.50.0.0/24}, bar: {pool: lan}, baz: {ipv6: 2001:db8::/64}}
${nodes}
links: [r1-h1, {r1: , r2: , prefix: foo}, {r1: , r2: , prefix: bar}, {r1: , h2: , prefix: baz}]`,
  'addresses, host numbers, and none': `
${nodes}
links:
- {r1: {ipv4: 7}, r2: , prefix: 10.9.0.0/24}
- {r1: , r2: {ipv4: 10.1.0.9}}
- {r1: {ipv4: false}, h1: {ipv4: 44, ipv6: 2001:db8::5/64}}
- {r1: {ipv4: 1.2.3.4/24}, r2: , prefix: false}`,
  'small prefixes: in sequence where ids do not fit': `
nodes: {r1: {role: router, id: 100}, r2: {role: router, id: 90}, h1: {id: 80}}
links: [{r1: , r2: , h1: , prefix: 10.9.0.0/29}, {r1: , h1: , prefix: 10.9.1.0/31}, {h1: , prefix: 10.9.2.2/32}]`,
  'allocation in words': `
addressing: {lan: {allocation: sequential}}
${nodes}
links: [h2-h1, {r2: , r1: , h1: , prefix: {allocation: id_based}}, {h2: , h1: , prefix: {ipv4: 10.9.0.0/24, allocation: p2p}}]`,
  'links by group, as text, with spaces, and disabled': `
${nodes}
links: {core: [r1 - r2, {r1: , r3: , disable: true}], edge: [[r1, h1], {interfaces: [{node: h2, ipv4: 9}, r2]}]}`,
  'a list of nodes, dotted keys, loopbacks as wished': `
nodes: [{name: r1, role: router, loopback: {ipv4: 10.77.0.1/32}}, {name: r2, role: router, loopback: false}, h1]
addressing.p2p.prefix: 29
defaults.addressing.lan.ipv4: 10.99.0.0/16
links: [r1-r2, h1-r1]`,
  'groups: created, nested, by pattern, of all nodes, and from nodes': `
groups:
  b: {_auto_create: True, members: [x, y], role: router, loopback: {ipv4: 10.9.9.9/30}}
  a: {_auto_create: True, members: [b, z], role: host, mtu: 1400}
  c: {members: ["n*", "~m."], loopback: {pool: lan}}
  all: {mtu: 1300}
  linux: {box: foo}
  old: {members: [z], node_data: {loopback: true}}
nodes: {n: {group: [b], loopback.ipv6: 2001:db8::1/128}, mm: {role: router}}
links: [x-y, x-z, n-mm-x]`,
  'a list of groups, and of nodes': `
groups: {core: [r1, r2], all: {role: router}}
nodes: [r1, r2]
links: [r1-r2]`,
  'loopbacks of hosts, and links of type loopback': `
nodes: {r1: {role: router}, h: {loopback: true}, g: {loopback: {ipv4: 10.7.7.7/32}}}
links: [{r1: , type: loopback}, {h: , type: loopback, prefix: 10.4.4.4/32}, {h: , type: stub}, h-r1, {h: , type: loopback}, g-h]`,
  'IPv6 alone': `
addressing: {lan: {ipv4: , ipv6: 2001:db8:1::/48}, p2p.ipv4: , loopback: {ipv4: , ipv6: 2001:db8:3::/48}}
nodes: {r1: {role: router}, a: }
links: [a-r1, r1]`,
  'pools that netlab has for other things': `
${nodes}
links: [{r1: , pool: vrf_loopback}, {r2: , pool: router_id}]`,
  'the same address on two links, and ids in other words': `
nodes: {a: {id: "7"}, b: {id: 0x10}, e1: {id: 010}}
links: [{a: {ipv4: 10.9.9.1/24}}, {b: {ipv4: 10.9.9.1/24}}, {a: , prefix: 10.9.8.0/24}, {a: , prefix: 10.9.8.0/24}, a-e1]`,
  'groups of links: attributes of the group, of a member over them, and in a map of links': `
addressing: {core: {ipv4: 10.60.0.0/16, prefix: 31}}
${nodes}
links:
  all:
  - h1-h2
  - {group: trunk, pool: core, mtu: 1400, members: [r1-r2, [r2, r3], {r1: {ipv4: 9}, r3: , pool: lan, mtu: 1300}]}
  - {group: fixed, prefix: {ipv4: 10.9.0.0/24, allocation: sequential}, members: [{r1: , h1: , prefix: {ipv4: 10.8.0.0/24}}, {interfaces: [r2, h2]}]}
  - {group: spare, disable: true, members: [r1-r3]}
  - {group: bad, type: lan, members: [r1-r2, {r1: , type: stub}]}
  - r1`,
  'unnumbered: links, pools, prefixes and ends': `
defaults.routing.warnings.host_gw: False
addressing: {p2p: {unnumbered: true}, mixed: {ipv4: true, ipv6: 2001:db8:7::/48}, six: {ipv6: true}, loopback: {ipv6: 2001:db8:4::/48}}
groups: {all: {device: none}, hosts: {members: [h1, h2], role: host}, routers: {members: [r1, r2, r3], role: router}}
nodes: {r1: , r2: , r3: {loopback: false}, h1: {loopback: true}, h2: }
links:
- r1-r2
- {r1: , r2: , h1: , h2: , unnumbered: true}
- {r1: , r2: , r3: , pool: mixed}
- {r2: , r3: , pool: six}
- {r1: , r2: {ipv4: false}, prefix: {ipv4: true, ipv6: 2001:db8:9::/64}}
- {r1: {ipv4: true}, r2: , prefix: 10.9.0.0/24}
- {r1: {ipv4: 10.8.0.1/24}, r2: , prefix: {ipv4: true}}
- {r1: , h2: , unnumbered: true, pool: lan}
- {r1: , r2: , unnumbered: true, prefix: 10.9.1.0/24}
- {h1: , h2: , prefix: {ipv6: true}}
- {group: g, unnumbered: true, members: [r1-r2, r1]}`,
  'unnumbered without IPv6': `
addressing: {p2p: {unnumbered: true}}
${nodes}
links: [r1-r2, {r1: , r3: , unnumbered: true}, r2-h2, {r3: , r2: , prefix: {ipv4: true}}]`,
  'a link from a router to itself': `${nodes}\nlinks: [r1-r1, r1-r2]`,
  ...Object.fromEntries([3, 11, 17, 29].map((seed) => [`random topology ${seed}`, randomTopology(seed)])),
};

function both({ ipv4, ipv6 }: { readonly ipv4?: unknown; readonly ipv6?: unknown }): Addresses {
  return {
    ...(typeof ipv4 === 'string' ? { ipv4 } : {}),
    ...(typeof ipv6 === 'string' ? { ipv6 } : {}),
  };
}

/** The families in which netlab prints `true`: the interface has no address of its own. */
function unnumberedIn(given: { readonly ipv4?: unknown; readonly ipv6?: unknown }) {
  const unnumbered = (['ipv4', 'ipv6'] as const).filter((family) => given[family] === true);
  return unnumbered.length === 0 ? {} : { unnumbered };
}

/** The MTU of an interface without a given MTU: netlab prints the default in some cases only. */
const usualMtu = 1500;

function asCompared({ nodes: labNodes, links }: Lab) {
  return {
    nodes: Object.fromEntries(
      labNodes.map(({ name, id, role, loopback, interfaces }) => [
        name,
        { id, role, loopback, interfaces: interfaces.map((each) => ({ mtu: usualMtu, ...each })) },
      ]),
    ),
    links: links.map(({ type, prefix }) => ({ type, prefix })),
  };
}

async function oracle(text: string) {
  const lab = await netlabLab(text);
  return {
    nodes: Object.fromEntries(
      Object.entries(lab.nodes).map(([name, { id, role, loopback, interfaces }]) => [
        name,
        {
          id,
          role,
          loopback: loopback === undefined ? null : both(loopback),
          interfaces: interfaces.map(({ ifname, linkindex, type, mtu = usualMtu, ...rest }) => ({
            ifname,
            linkIndex: linkindex,
            type,
            mtu,
            ...both(rest),
            ...unnumberedIn(rest),
          })),
        },
      ]),
    ),
    links: (lab.links ?? []).map(({ type, prefix }) => ({ type, prefix: prefix ? both(prefix) : {} })),
  };
}

describe(`netlab computes the same${because}`, () => {
  it.each(partOfTests(Object.entries(topologies), 8))('%s', async (_, text) => {
    expect(asCompared(labOf(head + text))).toEqual(await oracle(head + text));
  });
});

/** The topologies that people are shown. */
const shown: Readonly<Record<string, string>> = {
  ...Object.fromEntries(plainExamples.map(({ directory, text }) => [directory, text])),
  'docs/engine.md': /^```yaml\n(.*?)^```/ms.exec(readFileSync('docs/engine.md', 'utf8'))![1]!,
};

describe(`netlab takes what people are shown as it is, and computes the same${because}`, () => {
  it.each(Object.entries(shown))('%s', async (_, text) => {
    expect(asCompared(labOf(text))).toEqual(await oracle(text));
    expect(warningsOf(text)).toEqual([]);
  });
});

describe(`netlab refuses the same${because}`, () => {
  const refused = [
    `${nodes}\nlinks: [h1-h1]`,
    `addressing: {p2p: {ipv4: 10.7.0.0/30}}\n${nodes}\nlinks: [r1-r2, r2-r3]`,
    `addressing: {p2p: {ipv4: 10.1.1.1/16}}\n${nodes}\nlinks: [r1-r2]`,
    `${nodes}\nlinks: [{r1: , r2: , prefix: foo}]`,
    `${nodes}\nlinks: [{r1: , r2: , h1: , prefix: 10.9.0.0/30}]`,
    `${nodes}\nlinks: [{r1: , type: p2p}, {r1: , r2: , type: stub}]`,
    `nodes: {a: {id: 3}, b: {id: 3}}`,
    `nodes: {on: }`,
    `nodes: {null: , a: }`,
    `nodes: {1e2: }`,
    `${nodes}\nprefix: {foo: 10.50.0.0/24}`,
    `${nodes}\nlinks: [{r1: {ipv4: dhcp}, r2: }]`,
    `${nodes}\nlinks: [{r1: {ipv4: .5}, r2: }]`,
    `${nodes}\naddressing: {on: 10.50.0.0/16}`,
    `${nodes}\ngroups: {g: {members: [missing]}}`,
    `${nodes}\ngroups: {g: {members: [f]}, f: {members: [g]}}`,
    `${nodes}\ngroups: {g: }`,
    `${nodes}\ngroups: {r1: [r2]}`,
    `${nodes}\nlinks: [{r1: , r2: , type: loopback}]`,
    `nodes: {a: {mtu: 10}}`,
    `${nodes}\nlinks: [{r1: {ipv4: 7}, r2: , unnumbered: true}]`,
    `${nodes}\nlinks: [{members: [r1-r2]}]`,
    `${nodes}\nlinks: [{group: g}]`,
    `${nodes}\nlinks: [{group: 7, members: [r1-r2]}]`,
    `${nodes}\nlinks: [{group: g, members: [r1-r9]}]`,
  ];
  it.each(partOfTests(refused, 8))('%s', async (text) => {
    expect(errorsOf(head + text)).not.toEqual([]);
    await expect(netlabLab(head + text)).rejects.toThrow(/ended with 1: /);
  });
});
