import { describe, expect, test } from '@jest/globals';
import { errorsOf, install, unsupported, type RefusedTopology } from '../../../support/topologies.ts';

const names =
  'begin with a letter or an underscore and have at most 16 letters, digits, underscores and hyphens';

const cases: readonly RefusedTopology[] = [
  { name: 'an empty file', text: '', errors: ['1:1 the file is empty'] },
  {
    name: 'nodes misspelt',
    text: 'name: x\nnodse: [a]\nlinks: [a-a]\n',
    errors: ['2:1 unknown topology attribute "nodse"; did you mean "nodes"?'],
  },
  {
    name: 'a link without its end',
    text: 'nodes: [a, b]\nlinks: [a-b-]\n',
    errors: ['2:9 links[1]: an end of the link has no name'],
  },
  { name: 'a node twice in a map', text: 'nodes:\n  a:\n  b:\n  a:\n', errors: ['4:3 duplicate key "a"'] },
  { name: 'a key twice', text: 'name: x\nnodes: [a]\nname: y\n', errors: ['3:1 duplicate key "name"'] },
  {
    name: 'a key with and without dots',
    text: 'defaults: {device: linux}\nnodes: [a]\ndefaults.device: linux\n',
    errors: ['3:1 duplicate key "device"'],
  },
  {
    name: 'the same in lists, and at the ends of links',
    text: 'nodes: [a, on, "off"]\nlinks:\n- {a: , off: }\n- [a, off]\n',
    errors: [
      '1:12 a node must be a name, or a map with a name; on, off, yes and no are booleans in YAML unless they are in quotes',
      '3:9 links[1]: "off" is neither a node nor an attribute of a link; on, off, yes and no are booleans in YAML unless they are in quotes',
      '4:7 links[2]: an end of a link must be a node, or a map with "node"; on, off, yes and no are booleans in YAML unless they are in quotes',
    ],
  },
  {
    name: 'an id above MAX_NODE_ID',
    text: 'defaults.const.MAX_NODE_ID: 9\nnodes: {a: {id: 10}}\n',
    errors: ['2:17 nodes.a.id must be a whole number from 1 to 9, not 10'],
  },
  {
    name: 'a default device, once',
    text: 'defaults.device: frr\nnodes: [a, b]\n',
    errors: [`1:18 device "frr": the bundled engine supports only linux, linux-router and none; ${install}`],
  },
  {
    name: 'attributes of netlab, each with its line',
    text: 'nodes: {a: {module: [ospf], config: [x]}}\nmodule: [bgp]\nvlans: {}\nvrfs: {}\nevpn: {}\nbfd: {}\nisis: {}\nbgp.as: 65000\nospf: {}\ncomponents: {}\nlinks: [{a: {ifindex: 3}, vlans: 1}]\n',
    errors: [
      `1:13 "module" is an attribute of netlab ${unsupported}`,
      `1:29 "config" is an attribute of netlab ${unsupported}`,
      ...['module', 'vlans', 'vrfs', 'evpn', 'bfd', 'isis', 'bgp', 'ospf', 'components'].map(
        (key, index) => `${index + 2}:1 "${key}" is an attribute of netlab ${unsupported}`,
      ),
      `11:14 "ifindex" is an attribute of netlab ${unsupported}`,
      `11:27 "vlans" is an attribute of netlab ${unsupported}`,
    ],
  },
  {
    name: 'groups in the defaults, which netlab takes',
    text: 'nodes: [a]\ndefaults.groups: {g: {members: [a], role: router}}\n',
    errors: [`2:1 groups in defaults are not supported: put them next to nodes; ${install}`],
  },
  {
    name: 'nodes that a group with a module makes: the module, not that there are no nodes',
    text: 'groups:\n  _auto_create: True\n  g: {members: [a, b], module: [ospf]}\nlinks: [a-b]\n',
    errors: [`3:24 "module" is an attribute of netlab ${unsupported}`],
  },
  {
    name: 'unknown attributes',
    text: 'nmae: x\nxyzzy: 1\nnodes: {a: {rol: host}}\n',
    errors: [
      '1:1 unknown topology attribute "nmae"; did you mean "name"?',
      '2:1 unknown topology attribute "xyzzy"',
      '3:13 unknown node attribute "rol"; did you mean "role"?',
    ],
  },
  {
    name: 'head of the topology',
    text: 'name: my lab\nmessage: [a]\nprovider: 7\ndefaults: 3\nnodes: [a]\n',
    errors: [
      `1:7 name must ${names}, unlike "my lab"`,
      '2:10 message must be text',
      '3:11 provider must be a word, not 7',
      '4:11 defaults must be a map',
    ],
  },
  {
    name: 'plugins',
    text: 'nodes: [a]\nplugin: [multilab, fabric]\n',
    errors: [
      '2:9 plugin multilab needs defaults.multilab.id',
      `2:20 the bundled engine does not support plugin "fabric"; ${install}`,
    ],
  },
  {
    name: 'multilab ids',
    text: 'nodes: [a]\nplugin: multilab\ndefaults.multilab.id: 201\n',
    errors: [
      '2:9 plugin multilab needs defaults.multilab.id',
      '3:23 defaults.multilab.id must be a whole number from 1 to 200, not 201',
    ],
  },
];

describe('every error, with line and column', () => {
  test.each(cases)('$name', ({ text, errors }) => expect(errorsOf(text)).toEqual(errors));

  test('another kind of file: the first that YAML does not understand, in a line', () => {
    const errors = errorsOf(`# Text\n\n*What* it is: it\nis a \`x: y\` ${'long '.repeat(200)}\n- [x\n`);
    expect(errors).toEqual([expect.stringMatching(/^\d+:\d+ .{1,201}$/)]);
  });

  test('of the same topology with Windows line ends: the same', () => {
    for (const { text, errors } of cases)
      if (errors.length > 1) expect(errorsOf(text.replaceAll('\n', '\r\n'))).toEqual(errors);
  });
});
