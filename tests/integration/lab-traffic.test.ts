/** The traffic of nodes that are containers, with the runtime of namespaces in place of Docker. */
import { expect } from '@jest/globals';
import { isDeepStrictEqual } from 'node:util';
import type { Look } from '../../src/labs/drivers/containers-there.ts';
import type { LabDriver } from '../../src/labs/drivers/lab-driver.ts';
import { LabTraffic } from '../../src/labs/nodes/lab-traffic.ts';
import { containerLabs, deploy } from '../support/container-lab.ts';
import { missingForLabs } from '../support/engine-cli.ts';
import { eventually } from '../support/eventually.ts';
import { testUnless } from '../support/requirements.ts';
import { printed } from '../support/run-result.ts';

const missing = missingForLabs() ?? (process.getuid?.() === 0 ? undefined : 'needs root');
const { because, it } = testUnless(missing);
const { labOf } = containerLabs();

const none = { ipv4: null, ipv6: null };
const facts = { device: null, role: null, groups: [], as: null, modules: [], loopback: null, interfaces: [] };
const topology = {
  nodes: ['a', 'b'].map((name) => ({ name, ...facts })),
  links: [
    {
      id: '1',
      type: 'p2p',
      prefix: none,
      endpoints: [
        { node: 'a', interface: 'r', ...none },
        { node: 'b', interface: 'l', ...none },
      ],
    },
  ],
};
const unknown = {
  device: null,
  provider: null,
  image: null,
  address: null,
  state: 'up',
  since: null,
} as const;

it(`counters grow with packets, and a node that was restarted is read again${because}`, async () => {
  const lab = labOf(['a', 'b'], { a: ", exec: ['ip addr add 10.9.0.1/24 dev r']" });
  expect(await lab.run('containerlab', ...deploy)).toMatchObject({ exitCode: 0 });
  const look: Look = async (program, args) =>
    program === 'docker' ? { ...printed(''), ...buffers(await lab.run(program, ...args)) } : printed('');
  let nowMs = 0;
  const traffic = new LabTraffic({
    status: {
      instance: async (_id, format) => Promise.resolve({ body: Buffer.from('{}'), format, ageMs: 0 }),
      nodeEntriesOf: () => ({}),
      version: '1',
    },
    topologies: { of: async () => Promise.resolve({ topology }) },
    driver: () =>
      ({
        nodes: {},
        status: {
          nodesOf: () =>
            ['a', 'b'].map((name) => ({
              ...unknown,
              name,
              container: { name: lab.container(name), partOf: null, there: undefined },
            })),
        },
      }) as unknown as LabDriver,
    asker: { env: {}, isOtherUser: false },
    look,
    now: () => nowMs,
  });
  const read = async () => {
    nowMs += 60_000;
    return traffic.of('demo');
  };
  // On a busy machine, a reading may take too long, and says so.
  const unreadIs = async (...expected: readonly object[]) =>
    eventually('the nodes that are not read', async () => {
      const { unread } = await read();
      return isDeepStrictEqual(unread, expected);
    });
  const sentBy = async (name: string): Promise<number> =>
    eventually(`the counters of ${name}`, async () => {
      const { nodes } = await read();
      return nodes.find(({ node }) => node === name)?.interfaces[0]?.txPackets;
    });

  const before = await sentBy('a');
  const broadcasts = 'ping -b -q -c 300 -i 0.002 -W1 10.9.0.255 || true';
  await lab.run('docker', 'exec', lab.container('a'), 'sh', '-c', broadcasts);
  const after = await sentBy('a');
  expect(after).toBeGreaterThanOrEqual(before + 300);

  process.kill(lab.pidOf('a'), 'SIGKILL');
  await unreadIs({ node: 'a', interface: null, reason: 'it does not run' });
  expect(await lab.run('containerlab', 'restart', '--node', 'a')).toMatchObject({ exitCode: 0 });
  await unreadIs();
});

function buffers({ exitCode, stdout, stderr }: { exitCode: number; stdout: string; stderr: string }) {
  return { exitCode, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) };
}
