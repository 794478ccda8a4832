/** Interfaces and processes of real nodes are broken, and come back as they were. */
import { expect } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { endSilence, readInterfaces, setDown, setUp, silence } from '../../src/labs/nodes/cut-interfaces.ts';
import { look, type NodeSession } from '../../src/labs/nodes/node-session.ts';
import {
  assertProcesses,
  killProcess,
  pauseProcesses,
  resumeProcesses,
} from '../../src/labs/nodes/stop-processes.ts';
import { containerLabs, deploy } from '../support/container-lab.ts';
import { missingForLabs } from '../support/engine-cli.ts';
import { eventually } from '../support/eventually.ts';
import { failureOf } from '../support/failure-of.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { sessionHere } from '../support/session-here.ts';

const missing = missingForLabs() ?? (process.getuid?.() === 0 ? undefined : 'needs root');
const { because, it } = testUnless(missing);
const { labOf } = containerLabs();

/** Two nodes, `a` and `b`, and the way into the network of each. */
async function pair() {
  const lab = labOf(['a', 'b'], {
    a: ", exec: ['ip addr add 10.9.0.1/24 dev r', 'ip addr add 2001:db8::1/64 dev r nodad']",
    b: ", exec: ['ip addr add 10.9.0.2/24 dev l', 'ip addr add 2001:db8::2/64 dev l nodad']",
  });
  expect(await lab.run('containerlab', ...deploy)).toMatchObject({ exitCode: 0 });
  const inside = async (node: string, command: string) =>
    lab.run('docker', 'exec', lab.container(node), 'sh', '-c', command);
  const sessionOf = (node: string): NodeSession =>
    sessionHere({ node, way: ['nsenter', '--target', String(lab.pidOf(node)), '--net'] }).session;
  return { lab, inside, sessionOf };
}

/** Everything that a person has configured, in the order of its text. */
const network = `ip -brief address | grep -v eth0
for family in -4 -6; do ip $family route show table all | grep -v -e eth0 -e lo -e fe80 -e ff00; done | sort`;

it(`what the kernel drops with an interface comes back${because}`, async () => {
  const { sessionOf } = await pair();
  const session = sessionOf('a');
  // With the programs of the machine: those of the image know less.
  const printed = async (script: string): Promise<string> => {
    const { exitCode, output, words } = await look(session, ['sh', '-c', script]);
    expect({ exitCode, words }).toEqual({ exitCode: 0, words: '' });
    return output;
  };
  const configured = [
    'ip link add link r name r.5 type macvlan && ip link set r.5 up && ip addr add 10.5.0.1/24 dev r.5',
    'ip link add other type veth peer name end && ip link set other up && ip link set end up && ip addr add 10.8.0.1/24 dev other',
    'ip route add 10.1.0.0/16 via 10.9.0.2 proto static && ip route add 10.2.0.0/16 via 10.9.0.2 metric 7',
    'ip route add 10.3.0.0/16 via 10.5.0.2 table 9 && ip -6 route add 2001:db8:1::/48 via 2001:db8::2 proto static',
    'ip route add 192.0.2.1 dev r && ip route add default via 192.0.2.1 metric 50',
    'ip route add 10.4.0.0/16 nexthop via 10.9.0.2 nexthop via 10.8.0.2',
  ];
  await printed(configured.join(' && '));
  const carries = async () =>
    eventually('the interfaces are up', async () => {
      return (await printed('ip -brief link show r')).includes('LOWER_UP');
    });
  await carries();
  const before = await printed(network);
  expect(before).toMatch(/10\.4\.0\.0\/16[^]*10\.3\.0\.0\/16|10\.3\.0\.0\/16[^]*10\.4\.0\.0\/16/);

  const saved = await readInterfaces(session, ['r']);
  await setDown(session, ['r']);
  const cut = await printed(network);
  for (const lost of ['10.1.0.0', '10.2.0.0', '2001:db8'])
    expect({ lost, isThere: cut.includes(lost) }).toEqual({ lost, isThere: false });
  expect((await readInterfaces(session, ['r']))[0]).toMatchObject({ isUp: false });
  expect(await setUp(session, saved)).toBe('');
  await carries();
  expect(await printed(network)).toBe(before);
  await printed('ping -q -c1 -W2 10.9.0.2');

  expect(await failureOf(readInterfaces(session, ['r', 'x']))).toMatchObject({ code: 'interface-not-found' });
  // An interface that was down before stays down; one that is gone needs nothing.
  const others = ['nothing', 'r'].map((name) => ({ name, isUp: false, addresses: [], routes: [] }));
  expect(await setUp(session, others)).toBe('');

  // With another fault, a route has the next hops that are left; a route that was added meanwhile stays.
  const [r, other] = await readInterfaces(session, ['r', 'other']);
  await setDown(session, ['r', 'other']);
  expect(await setUp(session, [r!], ['other'])).toBe('');
  expect(await printed('ip route show 10.4.0.0/16')).toBe('10.4.0.0/16 via 10.9.0.2 dev r \n');
  await printed('ip route del 10.2.0.0/16 metric 7 && ip route add blackhole 10.2.0.0/16 metric 7');
  expect(await setUp(session, [{ ...other!, name: 'gone' }, r!, other!])).toBe('');
  await carries();
  const without = (text: string) => text.split('\n').filter((line) => !line.includes('10.2.0.0/16'));
  const after = await printed(network);
  expect(without(after)).toEqual(without(before));
  expect(after).toContain('blackhole 10.2.0.0/16');
});

const dropping = testUnless(missing ?? requirement('nft').missing);
dropping.it(
  `a silent link has its carrier, and loses all in both directions${dropping.because}`,
  async () => {
    const { inside, sessionOf } = await pair();
    const reaches = async (from: string, address: string) =>
      (await inside(from, `ping -c1 -W1 ${address}`)).exitCode === 0;
    await eventually('the link carries', async () => reaches('a', '10.9.0.2'));
    const ends = [
      [sessionOf('a'), 'r'],
      [sessionOf('b'), 'l'],
    ] as const;
    // Twice, as a fault that is set again.
    for (const [session, name] of [...ends, ...ends]) await silence(session, [name]);
    expect(await reaches('a', '10.9.0.2')).toBe(false);
    expect(await reaches('b', '2001:db8::1')).toBe(false);
    // Not even a packet socket gets a frame: none arrives.
    const received = async () => (await inside('a', 'cat /sys/class/net/r/statistics/rx_packets')).stdout;
    const before = await received();
    await inside('b', 'ping -c1 -W1 -I l 10.9.0.1');
    expect(await received()).toBe(before);
    expect((await inside('a', 'ip -brief link show r')).stdout).toContain('LOWER_UP');
    for (const [session, name] of [...ends, ...ends]) await endSilence(session, [name]);
    expect(await reaches('a', '10.9.0.2')).toBe(true);
  },
);

it(`processes are paused with all that they start, and killed by their names${because}`, async () => {
  const { inside, lab, sessionOf } = await pair();
  const session = sessionOf('a');
  await inside('a', '(sh -c "while :; do sleep 0.01; done; true" >/dev/null 2>&1 &)');
  const stateOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /, '')[0];
  await pauseProcesses(session);
  expect(stateOf(lab.pidOf('a'))).toBe('T');
  expect(stateOf(lab.pidOf('b'))).not.toBe('T');
  await resumeProcesses(session);
  expect(stateOf(lab.pidOf('a'))).not.toBe('T');

  await inside('a', '(tail -f /dev/null >/dev/null 2>&1 &)');
  await assertProcesses(session, 'tail');
  const isThere = async () => (await inside('a', 'cat /proc/[0-9]*/comm')).stdout.includes('tail');
  expect(await isThere()).toBe(true);
  await killProcess(session, 'tail');
  await eventually('it is gone', async () => !(await isThere()));
  expect(await failureOf(assertProcesses(session, 'bgpd'))).toMatchObject({
    code: 'invalid-request',
  });
  expect(await failureOf(assertProcesses(sessionHere().session, null))).toMatchObject({
    code: 'not-supported',
  });
});
