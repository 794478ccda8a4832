/** What a lab needs of a machine; topology-words.test.ts has what its topology says of it. */
import { expect, test } from '@jest/globals';
import {
  missingPrograms,
  summarizeTopology,
} from '../../../../../src/labs/drivers/netlab/topology-summary.ts';

const nothing = () => false;
const needs = (provider: string, ...programs: readonly string[]) =>
  programs.map((program) => `provider ${provider} needs ${program}, which is not installed here`);

test.each([
  ['clab', needs('clab', 'containerlab', 'docker')],
  ['libvirt', needs('libvirt', 'vagrant', 'virsh')],
  ['virtualbox', needs('virtualbox', 'vagrant', 'VBoxManage')],
  // Of what is not known, nothing is said: a plugin may bring it.
  ['external', []],
  ['constructor', []],
  [null, []],
])('on a machine with nothing, provider %s', (provider, missing) => {
  expect(missingPrograms({ provider }, nothing)).toEqual(missing);
});

test('what is there is not missing', () => {
  expect(missingPrograms({ provider: 'clab' }, (program) => program === 'docker')).toEqual(
    needs('clab', 'containerlab'),
  );
  expect(missingPrograms({ provider: 'clab' }, () => true)).toEqual([]);
});

test.each<[object, string | null]>([
  [{ provider: 'libvirt', defaults: { provider: 'clab' } }, 'libvirt'],
  [{ provider: ' ', defaults: { provider: 'clab' } }, 'clab'],
  [{ 'defaults.provider': 'clab' }, 'clab'],
  [{ provider: ['clab'] }, null],
])('the provider of %j', (topology, provider) => {
  expect(summarizeTopology({ ...topology }).provider).toBe(provider);
});

test.each<[object, readonly string[]]>([
  [{ nodes: { a: { device: 'frr' }, b: { device: 'frr' } } }, ['frr']],
  [{ nodes: { a: { device: ' ' }, b: null, c: 'frr' } }, []],
  [{ nodes: {}, 'defaults.device': 'eos' }, []],
  [{ nodes: ['a'], 'defaults.device': 'eos' }, ['eos']],
  [{ 'defaults.device': 'eos' }, ['eos']],
  [{ nodes: { a: { device: 'frr' } }, groups: { g: { device: 'linux' }, h: null } }, ['frr', 'linux']],
  [{ nodes: { a: {} }, groups: ['g'], 'defaults.device': 7 }, ['7']],
])('the devices of %j', (topology, devices) => {
  expect(summarizeTopology({ ...topology }).devices).toEqual(devices);
});
