import { expect, test } from '@jest/globals';
import { nodesForDocker, refuseDevices } from '../../../../../src/labs/drivers/netlab/container-devices.ts';

const namespaces = () => ({ runtime: 'namespaces', why: '' }) as const;
const containers = () => ({ runtime: 'containers', why: '' }) as const;
const topology = 'nodes: { r1: { device: frr }, r2: { device: eos }, r3: { device: srlinux }, h1: }\n';
const refuse = async (topologyText: string | undefined, inForce: typeof namespaces | typeof containers) =>
  refuseDevices({ topologyText, options: {} }, {}, inForce);

test('nodes that need Docker are named with their devices', async () => {
  await expect(refuse(topology, namespaces)).rejects.toMatchObject({
    code: 'not-supported',
    message: 'labs run in namespaces here, without Docker, which these nodes need: r2 (eos), r3 (srlinux)',
  });
});

test.each([
  ['with Docker', topology, containers],
  ['without a topology', undefined, namespaces],
  ['in virtual machines', `provider: libvirt\n${topology}`, namespaces],
  ['what is no YAML', 'nodes: {', namespaces],
  ['a list of nodes', 'nodes: [r1, r2]', namespaces],
])('%s, nothing is refused', async (_name, text, inForce) => {
  await expect(refuse(text, inForce)).resolves.toBeUndefined();
});

test('a node of another provider is left to it', () => {
  expect(nodesForDocker({ nodes: { r1: { device: 'eos', provider: 'libvirt' } } })).toEqual([]);
});
