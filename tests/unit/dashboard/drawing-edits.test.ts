/** Edits of a drawing as changes of its text. */
import { describe, expect, test } from '@jest/globals';
import { changesFor } from '../../../web/dashboard/src/parts/drawing/changes-for.ts';
import type { Edit } from '../../../web/dashboard/src/parts/drawing/drawing.ts';

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

function after(text: string, edit: Edit, path = 'topology.yml'): string {
  const result = changesFor(path, text, edit);
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
    ['a link is text', netlab, { kind: 'add-link', nodes: ['r2', 'r3'], attributes: {} }, ['+- r2-r3']],
    ['a link with attributes is a map', netlab, { kind: 'add-link', nodes: ['r2', 'r3'], attributes: { prefix: '10.1.0.0/24' } }, ['+- r2:', '+  r3:', '+  prefix: 10.1.0.0/24']],
    ['an attribute goes below its node', netlab, { kind: 'set-node', node: 'r3', keys: ['device'], value: 'eos' }, ['+    device: eos']],
    ["a module's attribute has a dotted key", netlab, { kind: 'set-node', node: 'r1', keys: ['bgp', 'as'], value: 65000 }, ['+    bgp.as: 65000']],
    ['several nodes get an attribute', netlab, { kind: 'set-nodes', nodes: ['r1', 'r3'], keys: ['device'], value: 'eos' }, ['+    device: eos', '+    device: eos']],
    ['an attribute goes into braces', netlab, { kind: 'set-node', node: 'r2', keys: ['device'], value: 'linux' }, ['-  r2: { role: host }', '+  r2: { role: host, device: linux }']],
    ['an attribute leaves braces', netlab, { kind: 'set-node', node: 'r2', keys: ['role'], value: undefined }, ['-  r2: { role: host }', '+  r2: {}']],
    ['a link that is text becomes a map', netlab, { kind: 'set-link', link: 'r1-r2', keys: ['prefix'], value: '10.0.0.0/24' }, ['-- r1-r2 # the first', '+  r2:', '+  prefix: 10.0.0.0/24 # the first', '+- r1:']],
    ['so it does for an end', netlab, { kind: 'set-end', link: 'r1-r2', end: 1, keys: ['ipv4'], value: '10.0.0.0/24' }, ['-- r1-r2 # the first', '+  r2:', '+    ipv4: 10.0.0.0/24 # the first', '+- r1:']],
    ['an end gets a value', netlab, { kind: 'set-end', link: 'r1-r3', end: 1, keys: ['ipv4'], value: '10.0.0.0/24' }, ['+    ipv4: 10.0.0.0/24']],
    ['a line becomes a network', netlab, { kind: 'add-end', link: 'r1-r2', node: 'r3' }, ['-- r1-r2 # the first', '+- r1-r2-r3 # the first']],
    ['a link that is a map gets an end', netlab, { kind: 'add-end', link: 'r1-r3', node: 'r2' }, ['+  r2:']],
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
    ['an end goes into a list', lists, { kind: 'add-end', link: 'r1-r3', node: 'r2' }, ['-links: [r1-r2, [r1, r3], { r2: , r3: { ipv4: 1 } }]', '+links: [r1-r2, [r1, r3, r2], { r2: , r3: { ipv4: 1 } }]']],
    ['a stub is a map', lists, { kind: 'add-link', nodes: ['r1'], attributes: {} }, ['-links: [r1-r2, [r1, r3], { r2: , r3: { ipv4: 1 } }]', '+links: [r1-r2, [r1, r3], { r2: , r3: { ipv4: 1 } }, { r1: }]']],
    ['a member is added', lists, { kind: 'set-group', group: 'g', members: ['r1', 'r2', 'r3'] }, ['-groups: { g: [r1, r3] }', '+groups: { g: [r1, r3, r2] }']],
    ['a group is added in braces', lists, { kind: 'set-group', group: 'h', members: ['r1'] }, ['-groups: { g: [r1, r3] }', '+groups: { g: [r1, r3], h: { members: [r1] } }']],
    ['containerlab: a node', clab, { kind: 'add-node', name: 'x', attributes: { kind: 'linux', image: 'a:b' } }, ['+    x:', '+      kind: linux', '+      image: "a:b"'], 'a.clab.yml'],
    ['containerlab: a name', clab, { kind: 'rename-node', name: 'h1', to: 'x' }, ['-    h1: { kind: linux, image: "alpine:3" }', '-    - endpoints: ["srl1:e1-1", "h1:eth1"]', '+    x: { kind: linux, image: "alpine:3" }', '+    - endpoints: ["srl1:e1-1", "x:eth1"]'], 'a.clab.yml'],
    ['containerlab: a link has the next interfaces', clab, { kind: 'add-link', nodes: ['srl1', 'h1'], attributes: {} }, ['+    - endpoints: ["srl1:e1-2", "h1:eth2"]'], 'a.clab.yml'],
    ['containerlab: a node leaves with its link', clab, { kind: 'remove', nodes: ['h1'], links: [] }, ['-    h1: { kind: linux, image: "alpine:3" }', '-  links:', '-    - endpoints: ["srl1:e1-1", "h1:eth1"]', '+  links: []'], 'a.clab.yml'],
    ['containerlab: an interface', clab, { kind: 'set-end', link: 'srl1:e1-1-h1:eth1', end: 1, keys: ['interface'], value: 'eth9' }, ['-    - endpoints: ["srl1:e1-1", "h1:eth1"]', '+    - endpoints: ["srl1:e1-1", "h1:eth9"]'], 'a.clab.yml'],
    ['a file without text', '', { kind: 'add-node', name: 'r4', attributes: {} }, ['+nodes:', '+  r4:']],
    ['a file with a comment and no line end', '# hi', { kind: 'add-node', name: 'r4', attributes: {} }, ['+nodes:', '+  r4:', '+']],
    ['a key without value', 'nodes:', { kind: 'add-node', name: 'r4', attributes: { device: 'x' } }, ['+  r4:', '+    device: x']],
    ['JSON', '{"nodes": {"r1": {}}}', { kind: 'add-link', nodes: ['r1'], attributes: {} }, ['-{"nodes": {"r1": {}}}', '+{"nodes": {"r1": {}}, links: [{ r1: }]}']],
  ])('%s', (...[, text, edit, lines, path]) => {
    expect(difference(text, edit, path)).toEqual(lines);
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
