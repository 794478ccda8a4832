import { describe, expect, test } from '@jest/globals';
import { errorsOf, labOf, warningsOf } from '../../../support/topologies.ts';

describe('the command line adds to the file', () => {
  const text = 'name: x\nnodes: [r1, {name: h1}]\nlinks: [r1-h1]\n';

  test('settings, also of nodes in a list', () => {
    const settings = [
      'name=y',
      'nodes.r1.role=router',
      'nodes.r1.id=9',
      'addressing.lan.ipv4=10.4.0.0/16',
      'message=a=b',
    ];
    const lab = labOf(text, { settings });
    expect(lab).toMatchObject({ name: 'y', message: 'a=b' });
    expect(lab.nodes[0]).toMatchObject({ role: 'router', id: 9, loopback: { ipv4: '10.0.0.9/32' } });
    expect(lab.links[0]?.prefix).toEqual({ ipv4: '10.4.0.0/24' });
  });

  test('the last of two settings wins; true and false are no text', () => {
    expect(labOf(text, { settings: ['name=y', 'name=z'] }).name).toBe('z');
    expect(
      labOf(text, { settings: ['nodes.r1.role=router', 'nodes.r1.loopback=False'] }).nodes[0]?.loopback,
    ).toBeNull();
  });

  test('a plugin beside those of the file, with its setting', () => {
    expect(labOf(text, { plugins: ['multilab'], settings: ['defaults.multilab.id=7'] }).instance).toBe('7');
    expect(errorsOf(text, { plugins: ['fabric'] })).toEqual([
      '--plugin fabric: the bundled engine does not support plugin "fabric"; install netlab to use it',
    ]);
  });

  test('device and provider', () => {
    expect(labOf(text, { device: 'linux-router' }).nodes.map(({ role }) => role)).toEqual([
      'router',
      'router',
    ]);
    expect(errorsOf(text, { device: 'eos' })).toEqual([
      '--device eos: device "eos": the bundled engine supports only linux, linux-router and none; install netlab to use it',
    ]);
    expect(warningsOf(text, { provider: 'clab:x' })).toEqual([
      '--provider clab:x: provider clab: the bundled engine uses network namespaces (netns)',
    ]);
  });

  test.each([
    ['name', '--set name: a setting has the form name=value'],
    ['=x', '--set =x: a setting has the form name=value'],
    ['name.=x', '--set name.=x: "name." is not a setting: name the attribute, as in name=lab1'],
    ['.name=x', '--set .name=x: ".name" is not a setting: name the attribute, as in name=lab1'],
    ['nodes..id=1', '--set nodes..id=1: "nodes..id" is not a setting: name the attribute, as in name=lab1'],
    [
      'links.x.type=lan',
      '--set links.x.type=lan: "links" is not a map in the topology: a setting cannot change it',
    ],
    ['nodes.r1.id=0', '--set nodes.r1.id=0: nodes.r1.id must be a whole number from 1 to 65535, not 0'],
    ['nodes.r1.rol=x', '--set nodes.r1.rol=x: unknown node attribute "rol"; did you mean "role"?'],
    [
      'module=ospf',
      '--set module=ospf: "module" is an attribute of netlab that the bundled engine does not support; install netlab to use it',
    ],
  ])('%s is refused', (setting, message) => {
    expect(errorsOf(text, { settings: [setting] })).toEqual([message]);
  });

  test.each([
    ['+7', 7],
    ['-7', -7],
    ['123456789012345', 123_456_789_012_345],
    ['1234567890123456', '"1234567890123456"'],
    ['7x', '"7x"'],
    ['x7', '"x7"'],
    ['1.5', '"1.5"'],
    ['+', '"+"'],
    ['', '""'],
    ['TRUE', true],
    ['False', false],
    ['truely', '"truely"'],
    ['untrue', '"untrue"'],
    ['yes', '"yes"'],
  ])('the value %j is read as %s', (value, seen) => {
    expect(errorsOf(text, { settings: [`nodes.r1.mtu=${value}`] })).toEqual([
      `--set nodes.r1.mtu=${value}: nodes.r1.mtu must be a whole number from 64 to 9216, not ${seen}`,
    ]);
  });

  test('a setting makes the maps that are not there, and keeps what is', () => {
    const settings = ['nodes.h1.loopback.ipv4=10.7.7.7/32', 'nodes.h1.loopback.ipv6=false'];
    expect(labOf('nodes: {h1: }\n', { settings }).nodes[0]?.loopback).toEqual({ ipv4: '10.7.7.7/32' });
    expect(labOf('nodes: {h1: {role: router}}\n', { settings: ['nodes.h1.id=7'] }).nodes).toMatchObject([
      { role: 'router', id: 7 },
    ]);
  });

  test('a plugin comes behind those that are there: none, one as text, or a list', () => {
    const wrong = (name: string) =>
      `the bundled engine does not support plugin "${name}"; install netlab to use it`;
    for (const present of ['', 'plugin: fabric\n', 'plugin: [fabric]\n']) {
      const errors = errorsOf(`${text}${present}`, { plugins: ['bonding', 'mlag'] });
      const names = [...(present === '' ? [] : ['fabric']), 'bonding', 'mlag'];
      expect(errors.map((error) => error.replace(/^--plugin mlag: /, ''))).toEqual(names.map(wrong));
    }
  });

  test('no setting reaches the prototype of anything', () => {
    labOf(text, { settings: ['__proto__.polluted=1', 'nodes.r1.__proto__.polluted=1'] });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
