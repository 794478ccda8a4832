import { expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { neededFeatures, problemOfKernel } from '../../../../src/engine/runtime/kernel-needs.ts';
import type { ContainerLab, ContainerNode } from '../../../../src/engine/runtime/lab-file.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();

function labOf(scripts: Readonly<Record<string, string>>): ContainerLab {
  for (const [name, script] of Object.entries(scripts)) {
    mkdirSync(path.join(root, 'node_files', name), { recursive: true });
    writeFileSync(path.join(root, 'node_files', name, 'initial'), script);
  }
  const nodes = Object.keys(scripts).map((name) => ({ name, container: name }) as ContainerNode);
  const file = path.join(root, 'clab.yml');
  const stub = [{ node: 'r1', ifname: 'eth4', isBridge: false }];
  return { name: 'demo', instance: 'clab.demo', file, gateway: undefined, nodes, links: [stub] };
}

// As the templates of netlab 26.10 have it.
const script = `if [ ! -e /sys/devices/virtual/net/mgmt ]; then
    ip link add mgmt type vrf table 42
fi
    ip link add lo type dummy
    ip link add eth4 type dummy
ip link add dev bond1 type bond mode 802.3ad lacp_rate fast lacp_active on
ip link add link eth1 name eth1.7 type vlan id 7
ip link add vxlan101000 type vxlan \\
  id 101000 \\
`;

test('the interfaces that scripts add tell what the nodes need', async () => {
  const lab = labOf({
    r1: script,
    r2: 'sysctl -w net.mpls.platform_labels=1048575\n',
    h1: 'ip link set lo up',
  });
  expect(await neededFeatures(lab)).toEqual(
    new Map([
      ['bonding', ['r1']],
      ['8021q', ['r1']],
      ['vxlan', ['r1']],
      ['mpls_router', ['r2']],
    ]),
  );
});

test('the sentence names the modules and the nodes', async () => {
  const vrf = 'ip link add red type vrf table 100\n';
  const all = Object.fromEntries(['r1', 'r2', 'r3', 'r4', 'r5', 'r6'].map((name) => [name, vrf]));
  const lab = labOf({ ...all, h1: 'ip link add x type dummy' });
  const asked: string[] = [];
  const problem = await problemOfKernel(lab, (wanted) => {
    asked.push(...wanted);
    return Promise.resolve(['vrf']);
  });
  expect(asked).toEqual(['vrf', 'dummy']);
  expect(problem).toBe(
    "the kernel of this machine does not have vrf (VRFs) for nodes r1, r2, r3, r4, r5 and 1 more: install the kernel's further modules (Ubuntu: linux-modules-extra-$(uname -r)), then: modprobe -a vrf",
  );
});

test('a lab without scripts needs nothing', async () => {
  const lab = labOf({});
  expect(await problemOfKernel({ ...lab, nodes: [{ name: 'gone' } as ContainerNode] })).toBeUndefined();
});
