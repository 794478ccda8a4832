/** The hints and explanations of the editor in a topology. */
import { describe, expect, test } from '@jest/globals';
import {
  isAttribute,
  supportedAttributes,
  type AttributeKind,
} from '../../../src/engine/topology/attributes.ts';
import { docs } from '../../../web/dashboard/src/pages/workspaces/editor/topology-docs.ts';
import { docAt, hintsAt, partAt } from '../../../web/dashboard/src/pages/workspaces/editor/topology-hints.ts';
import { checkTopology } from '../../../web/dashboard/src/parts/topology/topology-check.ts';
import type { Format } from '../../../web/dashboard/src/parts/drawing/drawing.ts';

/** The hints at the `|`, and the text that they replace. */
function offered(text: string, format: Format = 'netlab') {
  const offset = text.indexOf('|');
  const plain = text.replace('|', '');
  const around = { format, nodes: ['r1', 'h1'], devices: ['linux', 'our-device'] };
  const { from, hints } = hintsAt(plain, offset, around);
  return { typed: plain.slice(from, offset), labels: hints.map(({ label }) => label) };
}

describe('offered are', () => {
  test('keys of the topology', () => {
    const { typed, labels } = offered('no|');
    expect(typed).toBe('no');
    expect(labels).toEqual(
      expect.arrayContaining(['nodes', 'links', 'defaults', 'groups', 'module', 'validate']),
    );
    expect(labels).not.toContain('r1');
  });

  test('keys below a dotted one', () => {
    const { typed, labels } = offered('defaults.de|');
    expect(typed).toBe('de');
    expect(labels).toContain('device');
    expect(labels).not.toContain('nodes');
  });

  test('attributes of a node, and devices for its device, those of this server too', () => {
    expect(offered('nodes:\n  r1:\n    |').labels).toEqual(
      expect.arrayContaining(['device', 'role', 'loopback']),
    );
    const { labels } = offered('nodes:\n  r1:\n    device: |');
    expect(labels).toEqual(expect.arrayContaining(['frr', 'eos', 'our-device']));
    expect(labels.filter((label) => label === 'linux')).toHaveLength(1);
  });

  test('nodes, for the ends of links', () => {
    expect(offered('links:\n- |').labels).toEqual(expect.arrayContaining(['r1', 'h1', 'bandwidth']));
    expect(offered('links:\n- r1-|')).toEqual({ typed: '', labels: ['r1', 'h1'] });
    expect(offered('links:\n- r1-h|')).toEqual({ typed: 'h', labels: ['r1', 'h1'] });
    expect(offered('links:\n- r1:\n  |').labels).toEqual(expect.arrayContaining(['h1', 'prefix']));
  });

  test('modules and yes or no', () => {
    expect(offered('module: [ |').labels).toContain('ospf');
    expect(offered('links:\n- r1:\n  disable: |').labels).toEqual(['true', 'false']);
  });

  test.each(['# de|', 'nodes:\n- r1 # de|', 'defaults:\n  device: frr # li|'])(
    'nothing in a comment: %j',
    (text) => {
      expect(offered(text).labels).toEqual([]);
    },
  );

  test('values behind a sign that begins no comment', () => {
    expect(offered('name: a#b\nnodes:\n- "r#1"\nlinks:\n- "#": {node: r|').labels).toEqual(['r1', 'h1']);
  });

  // Minutes, if the time grew with the square of the length.
  test.each(['x', ' ', 'a-', '- '])('keys below a line of many %j', (part) => {
    expect(offered(`message: a${part.repeat(200_000)} b|`).labels).toEqual([]);
    expect(offered(`name: x\na${part.repeat(200_000)} b\nno|`).labels).toContain('nodes');
  });

  test('nothing for a free text', () => {
    expect(offered('name: |').labels).toEqual([]);
  });
});

describe('in a lab of netlab that is being typed', () => {
  const lab = `module: [ospf, bgp, vlan]
groups:
  core: { members: [r1] }
prefix:
  site: { ipv4: 10.9.0.0/16 }
addressing:
  dmz:
    ipv4: 10.8.0.0/16
vlans:
  red: { mode: irb }
  blue:
    links: [r1-r2]
vrfs:
  tenant:
nodes:
  r1:
    device: frr
`;

  test.each<[place: string, text: string, typed: string, some: readonly string[]]>([
    ['a module below a node', `${lab}    bgp:\n      a|`, 'a', ['as', 'advertise', 'activate']],
    ['a dotted module below a node', `${lab}    bgp.r|`, 'r', ['rr', 'router_id']],
    ['a module below a link', `${lab}links:\n- r1:\n  ospf:\n    |`, '', ['cost', 'network_type', 'timers']],
    [
      'a module at the end of a link',
      `${lab}links:\n- r1:\n    bgp:\n      l|`,
      'l',
      ['local_as', 'advertise'],
    ],
    [
      'a map in one line',
      `${lab}links:\n- r1: { ospf: { network_type: p|`,
      'p',
      ['point-to-point', 'broadcast'],
    ],
    ['a module below a group', lab.replace('[r1] }', '[r1], isis: { ty|'), 'ty', ['type', 'area']],
    ['a setting of the provider', `${lab}    clab:\n      |`, '', ['image', 'binds', 'startup-config']],
    ['a kind of the provider', `${lab}    clab.kind: ari|`, 'ari', ['arista_ceos', 'linux']],
    ['an impairment', `${lab}links:\n- r1:\n  tc:\n    de|`, 'de', ['delay', 'jitter', 'loss']],
    ['a VLAN', `${lab}links:\n- r1:\n    vlan.access: |`, '', ['red', 'blue']],
    ['a trunk', `${lab}links:\n- r1:\n    vlan.trunk: [ r|`, 'r', ['red', 'blue']],
    ['a VRF', `${lab}links:\n- r1:\n    vrf: |`, '', ['tenant']],
    ['a pool', `${lab}links:\n- r1:\n  pool: d|`, 'd', ['dmz']],
    ['a prefix', `${lab}links:\n- r1:\n  prefix: |`, '', ['site']],
    ['a group or node as member', `${lab}groups:\n  all:\n    members: [ |`, '', ['core', 'r1', 'h1']],
    ['links of a VLAN', `${lab}vlans:\n  green:\n    links:\n    - r1-|`, '', ['r1', 'h1']],
    ['imported routes', `${lab}    ospf.import: [ |`, '', ['connected', 'bgp']],
    ['a device below defaults', 'defaults.devices.e|', 'e', ['eos', 'frr']],
    ['a setting of a device', 'defaults:\n  devices:\n    frr:\n      clab:\n        im|', 'im', ['image']],
    ['one module without a list', 'module: o|', 'o', ['ospf']],
    ['routes of a policy', 'routing:\n  policy:\n    p1:\n    - action: |', '', ['permit', 'deny']],
  ])('%s is completed', (...[, text, typed, some]) => {
    const found = offered(text);
    expect(found.typed).toBe(typed);
    expect(found.labels).toEqual(expect.arrayContaining([...some]));
  });

  test('attributes of other places are not offered', () => {
    expect(offered(`${lab}    bgp:\n      |`).labels).not.toContain('device');
    expect(offered(`${lab}    bgp:\n      |`).labels).not.toContain('local_preference');
    expect(offered(`${lab}links:\n- r1:\n  bgp:\n    |`).labels).toEqual(['advertise']);
  });

  test.each(['constructor', 'toString', '__proto__'])(
    'a key named %s has no hints and no explanation',
    (key) => {
      expect(offered(`${key}:\n  |`).labels).toEqual([]);
      expect(docAt(`${key}: 1\n`, 0, 'netlab')).toBeUndefined();
    },
  );
});

describe('in a lab of containerlab', () => {
  const lab = `name: dc
topology:
  kinds:
    nokia_srlinux: { type: ixr-d2l }
  groups:
    spines:
      kind: nokia_srlinux
  nodes:
    s1: { group: spines }
    l1:
      kind: linux
`;

  test.each<[place: string, text: string, typed: string, some: readonly string[]]>([
    ['a key of the file', 'na|', 'na', ['name', 'topology', 'mgmt', 'prefix']],
    ['the management network', 'mgmt:\n  ipv4|', 'ipv4', ['ipv4-subnet', 'network']],
    ['a key of a node', `${lab}      st|`, 'st', ['startup-config', 'image', 'binds', 'stages']],
    ['a kind', `${lab}      kind: |`, '', ['linux', 'nokia_srlinux', 'arista_ceos']],
    ['a group', `${lab}      group: s|`, 's', ['spines']],
    ['a stage', `${lab}      stages:\n        create:\n          |`, '', ['wait-for', 'exec']],
    ['a node to wait for', `${lab}      stages: { create: { wait-for: [ { node: |`, '', ['s1', 'l1']],
    ['defaults', 'topology:\n  defaults:\n    res|', 'res', ['restart-policy']],
    ['a policy', 'topology:\n  defaults:\n    restart-policy: un|', 'un', ['unless-stopped']],
    ['kinds', 'topology:\n  kinds:\n    ar|', 'ar', ['arista_ceos']],
    ['a key of a kind', 'topology:\n  kinds:\n    linux:\n      im|', 'im', ['image']],
    ['the end of a link', `${lab}  links:\n  - endpoints: ["s1:e1-1", "|`, '', ['s1', 'l1']],
    ['a key of a link', `${lab}  links:\n  - |`, '', ['endpoints', 'type', 'mtu']],
    ['the kind of a link', `${lab}  links:\n  - type: m|`, 'm', ['mgmt-net', 'macvlan', 'veth']],
    [
      'an end with its keys',
      `${lab}  links:\n  - type: veth\n    endpoints:\n    - node: |`,
      '',
      ['s1', 'l1'],
    ],
  ])('%s is completed', (...[, text, typed, some]) => {
    const found = offered(text, 'containerlab');
    expect(found.typed).toBe(typed);
    expect(found.labels).toEqual(expect.arrayContaining([...some]));
  });

  test('an interface is not completed, and attributes of netlab are not offered', () => {
    expect(offered(`${lab}  links:\n  - endpoints: [s1:e|`, 'containerlab').labels).toEqual([]);
    expect(offered(`${lab}      |`, 'containerlab').labels).not.toContain('device');
    expect(offered('|', 'containerlab').labels).not.toContain('nodes');
  });
});

describe('an explanation', () => {
  const text =
    'nodes:\n  r1:\n    role: router\nmodule: [ospf]\nlinks:\n- r1:\n  bandwidth: 3\n  isis.cost: 3\n';
  const docOf = (key: string) => docAt(text, text.indexOf(key), 'netlab');

  test('belongs to the key at the cursor', () => {
    expect(docOf('role')).toMatchObject({ key: 'nodes.r1.role' });
    expect(docOf('router')).toBeUndefined();
  });

  test('names keys that the bundled engine ignores', () => {
    expect(docOf('module')?.doc).toContain('bundled engine');
    expect(docOf('bandwidth')?.doc).toContain('bundled engine');
    expect(docOf('nodes')?.doc).not.toContain('bundled engine');
  });

  test('is the type of the value where there is no sentence', () => {
    const lab =
      'topology:\n  defaults:\n    runtime: docker\n    startup-delay: 3\n    binds: []\n    dns: {}\n';
    const inContainerlab = (key: string) => docAt(lab, lab.indexOf(key), 'containerlab')?.doc;
    expect(docAt('ospf:\n  process: 1\n', 8, 'netlab')?.doc).toBe('Type: int.');
    expect(inContainerlab('runtime')).toBe('One of: docker, podman.');
    expect(inContainerlab('startup-delay')).toBe('Type: integer.');
    expect(inContainerlab('binds')).toBe('A list.');
    expect(inContainerlab('dns')).toBe('A map.');
  });
});

describe('the descriptions agree', () => {
  test.each<[AttributeKind, readonly string[]]>([
    ['topology', []],
    ['node', ['nodes', 'r1']],
    ['group', ['groups', 'g']],
    ['link', ['links', '[]']],
    ['interface', ['links', '[]', 'r1']],
    ['loopback', ['nodes', 'r1', 'loopback']],
    ['prefix', ['prefix', 'p']],
    ['pool', ['addressing', 'lan']],
  ])('a %s has in netlab what the engine supports, and the engine knows the rest', (...[kind, path]) => {
    const keys = Object.keys(partAt('netlab', path)?.part.keys ?? {});
    expect(supportedAttributes(kind).filter((key) => !keys.includes(key))).toEqual([]);
    // The engine reads these two elsewhere, and groups have no groups.
    const others = ['interfaces', '_auto_create', ...(kind === 'group' ? ['group'] : [])];
    expect(keys.filter((key) => !isAttribute(kind, key) && !others.includes(key))).toEqual([]);
    expect(keys).not.toEqual([]);
  });

  test('no known key is reported by the check of the page', () => {
    const top = Object.keys(partAt('netlab', [])?.part.keys ?? {});
    const node = Object.keys(partAt('netlab', ['nodes', 'r1'])?.part.keys ?? {}).filter(
      (key) => key !== 'device',
    );
    const others = top.filter((key) => !['nodes', 'links', 'groups', 'defaults'].includes(key));
    const text = `nodes:\n  r1: { ${node.map((key) => `${key}: 1`).join(', ')} }\n${others.join(': 1\n')}: 1\n`;
    expect(checkTopology(text).problems).toEqual([]);
  });

  test('are one sentence each', () => {
    const sentences = Object.values(docs).flatMap((some) => Object.values(some));
    expect(sentences.filter((doc) => !/^[A-Z].*\.$/.test(doc) || doc.includes('\n'))).toEqual([]);
    expect(sentences.length).toBeGreaterThan(100);
  });
});
