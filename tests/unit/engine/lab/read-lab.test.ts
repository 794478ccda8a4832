import { describe, expect, test } from '@jest/globals';
import { errorsOf, labOf, warningsOf } from '../../../support/topologies.ts';

const routers = 'nodes: {r1: {role: router}, r2: {role: router}, h1: }';

describe('the head of a topology', () => {
  test.each([
    ['/home/u/My-Lab_7', 'MyLab7'],
    ['/home/u/2024-lab', 'lab'],
    ['/home/u/a-very-long-directory', 'averylongdir'],
    ['/home/u/---', 'default'],
    ['/', 'default'],
  ])('without name, in %s: %s', (directory, name) => {
    expect(labOf('nodes: [a]', { directory }).name).toBe(name);
  });

  test('is kept: name, message, provider', () => {
    const lab = labOf('name: demo\nmessage: |\n  Two lines:\n  - x\nprovider: netns\nnodes: [a]\n');
    expect(lab).toMatchObject({
      name: 'demo',
      message: 'Two lines:\n- x\n',
      provider: 'netns',
      instance: 'default',
    });
    expect(labOf('nodes: [a]').message).toBeNull();
  });

  test('with plugin multilab: name and instance come from its id, as in netlab', () => {
    const lab = labOf('name: demo\nnodes: [a]\nplugin: [multilab]\ndefaults.multilab.id: 7\n');
    expect(lab).toMatchObject({ name: 'ml-7', instance: '7' });
  });
});

describe('what has no effect is a warning', () => {
  test.each([
    ['provider: clab', '1:11 provider clab: the bundled engine uses network namespaces (netns)'],
    [
      'defaults.provider: libvirt',
      '1:20 provider libvirt: the bundled engine uses network namespaces (netns)',
    ],
    ['defaults.foo.bar: 1', '1:1 defaults.foo has no effect in the bundled engine'],
    ['defaults: {device: linux, paths: {}}', '1:27 defaults.paths has no effect in the bundled engine'],
    ['defaults.multilab.id: 3', '1:23 defaults.multilab.id has no effect without plugin: [multilab]'],
    ['version: 1.8', '1:1 topology attribute "version" has no effect in the bundled engine'],
    ['links: [{a: , bandwidth: 100}]', '1:15 link attribute "bandwidth" has no effect in the bundled engine'],
    ['clab.prefix: x', '1:1 topology attribute "clab" has no effect in the bundled engine'],
  ])('%s', (line, warning) => {
    expect(errorsOf(`${line}\nnodes: [a]\n`)).toEqual([]);
    expect(warningsOf(`${line}\nnodes: [a]\n`)).toEqual([warning]);
  });

  test.each([
    'defaults.warnings.nodes.roles: False',
    'provider: netns',
    'nodes.a.ansible_user: x',
    'defaults.device: linux',
  ])('%s: not even that', (line) => expect(warningsOf(`${line}\nnodes.a.role: host\n`)).toEqual([]));

  test('networks that overlap, and ends of a link that do not reach each other', () => {
    const text = `${routers}\nlinks:\n- {r1: , r2: , prefix: 10.9.0.0/16}\n- {r1: , h1: , prefix: 10.9.9.0/24}\n- {r1: {ipv4: 10.2.1.1/24}, r2: {ipv4: 10.3.1.1/24}}\n`;
    expect(warningsOf(text)).toEqual([
      '4:3 10.9.9.0/24 of links[2] is in 10.9.0.0/16 of links[1]: not every address will be reached',
      '5:3 links[3] has ends in 10.2.1.0/24, 10.3.1.0/24: these do not reach each other',
    ]);
  });
});
