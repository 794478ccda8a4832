/** Edits of a drawing as changes of its text. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { changesFor } from '../../../web/dashboard/src/parts/drawing/changes-for.ts';
import type { Edit } from '../../../web/dashboard/src/parts/drawing/drawing.ts';
import { repoRoot } from '../../support/repo-files.ts';

const netlab = `# A triangle
defaults.device: frr # of all

nodes:
  r1:
    module: [ospf] # inside
  r2: { role: host }
  r3:

# how they are joined
links:
- r1-r2 # the first
- r1:
    ipv4: 10.0.0.1/24
  r3:
- interfaces: [r1, { node: r2 }, r3]
`;

const lists = `nodes: [r1, r2, { name: r3, device: frr }]
links: [r1-r2, [r1, r3], { r2: , r3: { ipv4: 1 } }]
groups: { g: [r1, r3] }
`;

const clab = `name: two
topology:
  nodes:
    srl1:
      kind: nokia_srlinux # the leaf
    h1: { kind: linux, image: "alpine:3" }
  links:
    - endpoints: ["srl1:e1-1", "h1:eth1"]
`;

function after(text: string, edit: Edit, file = 'topology.yml'): string {
  const result = changesFor(file, text, edit);
  return result.kind === 'changes' ? result.text : `refused: ${result.message}`;
}

/** The lines that disappear and those that are new. */
function difference(text: string, edit: Edit, path?: string): string[] {
  const [before, now] = [text.split('\n'), after(text, edit, path).split('\n')];
  const only = (some: string[], others: string[]): string[] =>
    some.filter(
      (line, nr) =>
        some.slice(0, nr).filter((one) => one === line).length >= others.filter((one) => one === line).length,
    );
  return [...only(before, now).map((line) => `-${line}`), ...only(now, before).map((line) => `+${line}`)];
}

describe('an edit changes nothing but its values', () => {
  // prettier-ignore
  test.each<readonly [string, string, Edit, string[], string?]>([
    ['a node is added behind the last one', netlab, { kind: 'add-node', name: 'r4', attributes: {} }, ['+  r4:']],
    ['its attributes are lines', netlab, { kind: 'add-node', name: 'r4', attributes: { device: 'eos', role: 'host' } }, ['+  r4:', '+    device: eos', '+    role: host']],
    ['a new name is used in links', netlab, { kind: 'rename-node', name: 'r1', to: 'core' }, ['-  r1:', '-- r1-r2 # the first', '-- r1:', '-- interfaces: [r1, { node: r2 }, r3]', '+  core:', '+- core-r2 # the first', '+- core:', '+- interfaces: [core, { node: r2 }, r3]']],
    ['a removed node takes its links, and leaves networks of others', netlab, { kind: 'remove', nodes: ['r1'], links: [] }, ['-  r1:', '-    module: [ospf] # inside', '-- r1-r2 # the first', '-- r1:', '-    ipv4: 10.0.0.1/24', '-  r3:', '-- interfaces: [r1, { node: r2 }, r3]', '+- interfaces: [{ node: r2 }, r3]']],
    ['the last node is removed', netlab, { kind: 'remove', nodes: ['r3'], links: [] }, ['-  r3:', '-- r1:', '-    ipv4: 10.0.0.1/24', '-  r3:', '-- interfaces: [r1, { node: r2 }, r3]', '+- interfaces: [r1, { node: r2 }]']],
    ['the last of all leave empty values', netlab, { kind: 'remove', nodes: ['r1', 'r2', 'r3'], links: [] }, ['-nodes:', '-  r1:', '-    module: [ospf] # inside', '-  r2: { role: host }', '-  r3:', '-links:', '-- r1-r2 # the first', '-- r1:', '-    ipv4: 10.0.0.1/24', '-  r3:', '-- interfaces: [r1, { node: r2 }, r3]', '+nodes: {}', '+links: []']],
    ['a link is text', netlab, { kind: 'add-links', links: [['r2', 'r3']], attributes: {} }, ['+- r2-r3']],
    ['a link with attributes is a map', netlab, { kind: 'add-links', links: [['r2', 'r3']], attributes: { prefix: '10.1.0.0/24' } }, ['+- r2:', '+  r3:', '+  prefix: 10.1.0.0/24']],
    ['an attribute goes below its node', netlab, { kind: 'set-node', node: 'r3', keys: ['device'], value: 'eos' }, ['+    device: eos']],
    ["a module's attribute has a dotted key", netlab, { kind: 'set-node', node: 'r1', keys: ['bgp', 'as'], value: 65000 }, ['+    bgp.as: 65000']],
    ['several nodes get an attribute', netlab, { kind: 'set-nodes', nodes: ['r1', 'r3'], keys: ['device'], value: 'eos' }, ['+    device: eos', '+    device: eos']],
    ['an attribute goes into braces', netlab, { kind: 'set-node', node: 'r2', keys: ['device'], value: 'linux' }, ['-  r2: { role: host }', '+  r2: { role: host, device: linux }']],
    ['an attribute leaves braces', netlab, { kind: 'set-node', node: 'r2', keys: ['role'], value: undefined }, ['-  r2: { role: host }', '+  r2: {}']],
    ['a link that is text becomes a map', netlab, { kind: 'set-link', link: 'r1-r2', keys: ['prefix'], value: '10.0.0.0/24' }, ['-- r1-r2 # the first', '+  r2:', '+  prefix: 10.0.0.0/24 # the first', '+- r1:']],
    ['so it does for an end', netlab, { kind: 'set-end', link: 'r1-r2', end: 1, keys: ['ipv4'], value: '10.0.0.0/24' }, ['-- r1-r2 # the first', '+  r2:', '+    ipv4: 10.0.0.0/24 # the first', '+- r1:']],
    ['an end gets a value', netlab, { kind: 'set-end', link: 'r1-r3', end: 1, keys: ['ipv4'], value: '10.0.0.0/24' }, ['+    ipv4: 10.0.0.0/24']],
    ['a line becomes a network', netlab, { kind: 'add-ends', link: 'r1-r2', nodes: ['r3'] }, ['-- r1-r2 # the first', '+- r1-r2-r3 # the first']],
    ['a link that is a map gets an end', netlab, { kind: 'add-ends', link: 'r1-r3', nodes: ['r2'] }, ['+  r2:']],
    ['several ends go into a text', `${netlab}- r2-r3\n`.replace('  r3:\n', '  r3:\n  r4:\n  r5:\n'), { kind: 'add-ends', link: 'r1-r2', nodes: ['r4', 'r5'] }, ['-- r1-r2 # the first', '+- r1-r2-r4-r5 # the first']],
    ['several ends go into a map', netlab.replace('  r3:\n', '  r3:\n  r4:\n'), { kind: 'add-ends', link: 'r1-r3', nodes: ['r2', 'r4'] }, ['+  r2:', '+  r4:']],
    ['several links are one edit', netlab, { kind: 'add-links', links: [['r2', 'r3'], ['r1', 'r3']], attributes: {} }, ['+- r2-r3', '+- r1-r3']],
    ['several links have interfaces of their own', clab, { kind: 'add-links', links: [['srl1', 'h1'], ['srl1', 'h1']], attributes: {} }, ['+    - endpoints: ["srl1:e1-2", "h1:eth2"]', '+    - endpoints: ["srl1:e1-3", "h1:eth3"]'], 'a.clab.yml'],
    ['a new link goes into the last list of a map of groups', 'nodes: [a, b]\nlinks: { x: { y: [a-b] }, z: a-b }\n', { kind: 'add-links', links: [['b', 'a']], attributes: {} }, ['-links: { x: { y: [a-b] }, z: a-b }', '+links: { x: { y: [a-b, b-a] }, z: a-b }']],
    ['a link below a name becomes a list', 'nodes: [a, b]\nlinks: { z: a-b }\n', { kind: 'set-link', link: 'a-b', keys: ['mtu'], value: 9 }, ['-links: { z: a-b }', '+links: { z: [{ a: , b: , mtu: 9 }] }']],
    ['a group is made', netlab, { kind: 'set-group', group: 'g', members: ['r1'] }, ['+groups:', '+  g:', '+    members: [r1]']],
    ['copies have the links between them', netlab, { kind: 'copy-nodes', copies: new Map([['r1', 'a'], ['r2', 'b']]) }, ['+  a:', '+    module: [ospf]', '+  b:', '+    role: host', '+- a-b']],
    ['a name goes into a list', lists, { kind: 'add-node', name: 'r4', attributes: {} }, ['-nodes: [r1, r2, { name: r3, device: frr }]', '+nodes: [r1, r2, { name: r3, device: frr }, r4]']],
    ['a map goes into a list', lists, { kind: 'add-node', name: 'r4', attributes: { device: 'x' } }, ['-nodes: [r1, r2, { name: r3, device: frr }]', '+nodes: [r1, r2, { name: r3, device: frr }, { name: r4, device: x }]']],
    ['a name in maps, lists and groups changes', lists, { kind: 'rename-node', name: 'r3', to: 'core' }, ['-nodes: [r1, r2, { name: r3, device: frr }]', '-links: [r1-r2, [r1, r3], { r2: , r3: { ipv4: 1 } }]', '-groups: { g: [r1, r3] }', '+nodes: [r1, r2, { name: core, device: frr }]', '+links: [r1-r2, [r1, core], { r2: , core: { ipv4: 1 } }]', '+groups: { g: [r1, core] }']],
    ['a name in lists changes', lists, { kind: 'rename-node', name: 'r1', to: 'core' }, ['-nodes: [r1, r2, { name: r3, device: frr }]', '-links: [r1-r2, [r1, r3], { r2: , r3: { ipv4: 1 } }]', '-groups: { g: [r1, r3] }', '+nodes: [core, r2, { name: r3, device: frr }]', '+links: [core-r2, [core, r3], { r2: , r3: { ipv4: 1 } }]', '+groups: { g: [core, r3] }']],
    ['a node leaves lists', lists, { kind: 'remove', nodes: ['r3'], links: [] }, ['-nodes: [r1, r2, { name: r3, device: frr }]', '-links: [r1-r2, [r1, r3], { r2: , r3: { ipv4: 1 } }]', '-groups: { g: [r1, r3] }', '+nodes: [r1, r2]', '+links: [r1-r2]', '+groups: { g: [r1] }']],
    ['a name in a list becomes a map', lists, { kind: 'set-node', node: 'r1', keys: ['device'], value: 'eos' }, ['-nodes: [r1, r2, { name: r3, device: frr }]', '+nodes: [{ name: r1, device: eos }, r2, { name: r3, device: frr }]']],
    ['a link in a list becomes a map', lists, { kind: 'set-link', link: 'r1-r2', keys: ['prefix'], value: '10.0.0.0/24' }, ['-links: [r1-r2, [r1, r3], { r2: , r3: { ipv4: 1 } }]', '+links: [{ r1: , r2: , prefix: 10.0.0.0/24 }, [r1, r3], { r2: , r3: { ipv4: 1 } }]']],
    ['a list of ends becomes a map', lists, { kind: 'set-link', link: 'r1-r3', keys: ['prefix'], value: '10.0.0.0/24' }, ['-links: [r1-r2, [r1, r3], { r2: , r3: { ipv4: 1 } }]', '+links: [r1-r2, { r1: , r3: , prefix: 10.0.0.0/24 }, { r2: , r3: { ipv4: 1 } }]']],
    ['an end in a list becomes a map', lists, { kind: 'set-end', link: 'r1-r3', end: 0, keys: ['ipv4'], value: '10.0.0.0/24' }, ['-links: [r1-r2, [r1, r3], { r2: , r3: { ipv4: 1 } }]', '+links: [r1-r2, [{ node: r1, ipv4: 10.0.0.0/24 }, r3], { r2: , r3: { ipv4: 1 } }]']],
    ['an end goes into a list', lists, { kind: 'add-ends', link: 'r1-r3', nodes: ['r2'] }, ['-links: [r1-r2, [r1, r3], { r2: , r3: { ipv4: 1 } }]', '+links: [r1-r2, [r1, r3, r2], { r2: , r3: { ipv4: 1 } }]']],
    ['a stub is a map', lists, { kind: 'add-links', links: [['r1']], attributes: {} }, ['-links: [r1-r2, [r1, r3], { r2: , r3: { ipv4: 1 } }]', '+links: [r1-r2, [r1, r3], { r2: , r3: { ipv4: 1 } }, { r1: }]']],
    ['a member is added', lists, { kind: 'set-group', group: 'g', members: ['r1', 'r2', 'r3'] }, ['-groups: { g: [r1, r3] }', '+groups: { g: [r1, r3, r2] }']],
    ['a group is added in braces', lists, { kind: 'set-group', group: 'h', members: ['r1'] }, ['-groups: { g: [r1, r3] }', '+groups: { g: [r1, r3], h: { members: [r1] } }']],
    ['containerlab: a node', clab, { kind: 'add-node', name: 'x', attributes: { kind: 'linux', image: 'a:b' } }, ['+    x:', '+      kind: linux', '+      image: "a:b"'], 'a.clab.yml'],
    ['containerlab: a name', clab, { kind: 'rename-node', name: 'h1', to: 'x' }, ['-    h1: { kind: linux, image: "alpine:3" }', '-    - endpoints: ["srl1:e1-1", "h1:eth1"]', '+    x: { kind: linux, image: "alpine:3" }', '+    - endpoints: ["srl1:e1-1", "x:eth1"]'], 'a.clab.yml'],
    ['containerlab: a link has the next interfaces', clab, { kind: 'add-links', links: [['srl1', 'h1']], attributes: {} }, ['+    - endpoints: ["srl1:e1-2", "h1:eth2"]'], 'a.clab.yml'],
    ['containerlab: a node leaves with its link', clab, { kind: 'remove', nodes: ['h1'], links: [] }, ['-    h1: { kind: linux, image: "alpine:3" }', '-  links:', '-    - endpoints: ["srl1:e1-1", "h1:eth1"]', '+  links: []'], 'a.clab.yml'],
    ['containerlab: an interface', clab, { kind: 'set-end', link: 'srl1:e1-1-h1:eth1', end: 1, keys: ['interface'], value: 'eth9' }, ['-    - endpoints: ["srl1:e1-1", "h1:eth1"]', '+    - endpoints: ["srl1:e1-1", "h1:eth9"]'], 'a.clab.yml'],
    ['a file without text', '', { kind: 'add-node', name: 'r4', attributes: {} }, ['+nodes:', '+  r4:']],
    ['a file with a comment and no line end', '# hi', { kind: 'add-node', name: 'r4', attributes: {} }, ['+nodes:', '+  r4:', '+']],
    ['a key without value', 'nodes:', { kind: 'add-node', name: 'r4', attributes: { device: 'x' } }, ['+  r4:', '+    device: x']],
    ['JSON', '{"nodes": {"r1": {}}}', { kind: 'add-links', links: [['r1']], attributes: {} }, ['-{"nodes": {"r1": {}}}', '+{"nodes": {"r1": {}}, links: [{ r1: }]}']],
  ])('%s', (...[, text, edit, lines, path]) => {
    expect(difference(text, edit, path)).toEqual(lines);
  });
});

describe('a new name', () => {
  const named = readFileSync(`${repoRoot}/tests/fixtures/drawing/names.yml`, 'utf8');
  const clabNamed = readFileSync(`${repoRoot}/tests/fixtures/drawing/names.clab.yml`, 'utf8');
  const noteOf = (text: string, edit: Edit, file = 'topology.yml') => {
    const result = changesFor(file, text, edit);
    return result.kind === 'changes' ? result.note : result.message;
  };
  const linesWith = (text: string): string[] => text.split('\n').filter((line) => line.includes('core_1'));

  // prettier-ignore
  test.each<readonly [string, string, string[]]>([
    ['routes, containers, servers and stages', 'r1', ['  core_1:', '    clab.start_after: [core_1, sw]', '      static: [{ node: [core_1, r3], nexthop.discard: true }]', '  r3: { clab: { network-mode: "container:core_1" } }', '        - node: core_1 # first', '    - core_1-r2', '  - { core_1: { dhcp.server: r2 }, h1: , h2: , bridge: sw }', '    members: [h1-h3-core_1, h2-h3-r2]', '  last: core_1-r3']],
    ['next hops and DHCP servers', 'r2', ['    - node: core_1', '  core_1:', '    - r1-core_1', '    - { core_1: , r3: }', '  - { r1: { dhcp.server: core_1 }, h1: , h2: , bridge: sw }', '    members: [h1-h3-r1, h2-h3-core_1]']],
    ['the bridge of links and of their groups', 'sw', ['    clab.start_after: [r1, core_1]', '  core_1: { role: bridge } # joins the hosts', '    bridge: core_1', '  - { r1: { dhcp.server: r2 }, h1: , h2: , bridge: core_1 }', '    bridge: core_1', '  - r3-core_1']],
    ['groups and tests', 'h1', ['  hosts: [core_1, h2, h3]', '    - { ipv4: 10.0.0.0/8, nexthop: { node: core_1 } }', '  core_1:', '        - { node: core_1, stage: create }', '  - interfaces: [core_1, h2, h3] # a LAN', '  - { r1: { dhcp.server: r2 }, core_1: , h2: , bridge: sw }', '    members: [core_1-h3-r1, h2-h3-r2]', '    nodes: [core_1, h2] # both']],
  ])('is used in %s', (...[, name, lines]) => {
    expect(linesWith(after(named, { kind: 'rename-node', name, to: 'core_1' }))).toEqual(lines);
    expect(noteOf(named, { kind: 'rename-node', name, to: 'core_1' })).toBeUndefined();
  });

  test('of containerlab is used in stages and in the modes of containers', () => {
    const renamed = after(clabNamed, { kind: 'rename-node', name: 'r1', to: 'core_1' }, 'a.clab.yml');
    expect(linesWith(renamed)).toEqual([
      '      stages: { create: { wait-for: [ { node: core_1, stage: create } ] } } # of all',
      '    core_1: { kind: nokia_srlinux }',
      '      network-mode: "container:core_1" # shares',
      '            - node: core_1',
      '    - endpoints: [ "core_1:e1-1", "r3:eth1" ]',
    ]);
    expect(noteOf(clabNamed, { kind: 'rename-node', name: 'r1', to: 'core_1' }, 'a.clab.yml')).toMatch(
      /^Line 17 still has the name r1:/,
    );
  });

  test('is used in disabled links and in BGP sessions', () => {
    const text = `nodes: [r1, r2, r3]
links: [{ r1: , r2: , disable: true }, r2-r3]
bgp.multihop.sessions: [r1-r3, { r1: { ipv4: 1 }, r2: , activate: true }, [r2, r1]]
`;
    expect(after(text, { kind: 'rename-node', name: 'r1', to: 'core_1' })).toBe(
      text.replaceAll('r1', 'core_1'),
    );
    expect(after(text, { kind: 'remove', nodes: ['r1'], links: [] })).toBe(
      'nodes: [r2, r3]\nlinks: [r2-r3]\nbgp.multihop.sessions: []\n',
    );
  });

  test.each<[string, Edit, string, RegExp | undefined]>([
    ['the old name in a command', { kind: 'rename-node', name: 'h3', to: 'x' }, named, /^Line 44 .*name h3:/],
    [
      'a removed name in several lines',
      { kind: 'remove', nodes: ['r1'], links: [] },
      named,
      /^Lines 8, 10, 11, 17 still have the name r1:/,
    ],
    [
      'no part of a name, path or comment, and no device',
      { kind: 'rename-node', name: 'frr', to: 'x' },
      'nodes:\n  frr: { device: frr, clab.binds: { frr.cfg: /etc/frr/frr.conf } } # frr\n  frr-2: { description: frr }\n',
      undefined,
    ],
    [
      'an expression of netlab',
      { kind: 'rename-node', name: 'a', to: 'x' },
      "nodes: [a, b, ab]\nvalidate:\n  t1.plugin: ping(nodes.a.interfaces[0].ipv4)\n  t2.plugin: ping(nodes['a'])\n  t3.plugin: ping(nodes.ab.name)\n",
      /^Lines 3, 4 still have the name a:/,
    ],
    [
      'the name of a container',
      { kind: 'rename-node', name: 'a', to: 'x' },
      'name: t\ntopology:\n  nodes:\n    a: {}\n    b:\n      exec:\n        - |\n          true\n          ping clab-t-a\n',
      /^Line 9 still has the name a:/,
    ],
  ])('leaves a note of %s', (...[, edit, text, note]) => {
    const found = noteOf(text, edit);
    if (note === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(note);
  });

  test('of a bridge that is removed leaves its networks', () => {
    const edit: Edit = { kind: 'remove', nodes: ['sw'], links: [] };
    expect(difference(named, edit).filter((line) => line.startsWith('+'))).toEqual([
      '+  - { r1: { dhcp.server: r2 }, h1: , h2: }',
    ]);
    expect(after(named, edit)).not.toContain('bridge');
  });
});

describe('an edit is refused', () => {
  const aliased =
    'x: &x { device: frr }\nnodes:\n  r1: *x\n  r2: { <<: *x }\n  r3: &y { role: host }\n  r4: *y\nlinks: [r1-r2]\n';
  test.each<[string, string, Edit, RegExp]>([
    [
      'of an alias',
      aliased,
      { kind: 'set-node', node: 'r1', keys: ['device'], value: 'eos' },
      /change it in the text/,
    ],
    [
      'of a value that an alias repeats',
      aliased,
      { kind: 'set-node', node: 'r3', keys: ['role'], value: 'router' },
      /other parts of the file/,
    ],
    [
      'of an unreadable text',
      'nodes: [\n',
      { kind: 'add-node', name: 'r1', attributes: {} },
      /correct line \d of the text/,
    ],
    [
      'with a name that is taken',
      netlab,
      { kind: 'rename-node', name: 'r1', to: 'r2' },
      /there is a node r2 already/,
    ],
    [
      'with a name that is no name',
      netlab,
      { kind: 'add-node', name: 'a b', attributes: {} },
      /at most 16 letters/,
    ],
    [
      'of a node that a group creates',
      'groups: { _auto_create: true, g: [r1] }\n',
      { kind: 'rename-node', name: 'r1', to: 'r2' },
      /a group creates r1/,
    ],
    ['of a node that is gone', netlab, { kind: 'remove', nodes: ['r9'], links: [] }, /no node r9 any more/],
  ])('%s', (_, text, edit, message) => {
    expect(changesFor('topology.yml', text, edit)).toEqual({
      kind: 'refused',
      message: expect.stringMatching(message),
    });
  });

  test('but a value of its own may replace one of an alias', () => {
    const text = 'd: &d frr\nnodes:\n  r1: { device: *d }\n';
    expect(after(text, { kind: 'set-node', node: 'r1', keys: ['device'], value: 'eos' })).toContain(
      '{ device: eos }',
    );
  });
});
