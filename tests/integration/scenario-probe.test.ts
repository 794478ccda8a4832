/** Outages of a known length are measured, and compared with the packets that arrived at the receiver. */
import { expect } from '@jest/globals';
import type { NodeSession } from '../../src/labs/nodes/node-session.ts';
import { look, startProgram } from '../../src/labs/nodes/node-session.ts';
import { Probe } from '../../src/scenarios/run/probe.ts';
import { containerLabs, deploy } from '../support/container-lab.ts';
import { missingForLabs } from '../support/engine-cli.ts';
import { eventually } from '../support/eventually.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { sessionHere } from '../support/session-here.ts';

const programs = ['fping', 'nft', 'tcpdump'].map((program) => requirement(program).missing);
const missing =
  missingForLabs() ??
  (process.getuid?.() === 0 ? undefined : 'needs root') ??
  programs.find((why) => why !== undefined);
const { because, it } = testUnless(missing);
const { labOf } = containerLabs();

const periodMs = 20;

/** Drops what leaves for an address, for as long as the kernel has that in the set: no program has to wake up for its end. */
const drops = `add table netdev t
add set netdev t gone { type ipv4_addr; flags timeout; }
add chain netdev t out { type filter hook egress device "r" priority 0; }
add rule netdev t out ip daddr @gone drop`;

async function run(session: NodeSession, script: string): Promise<string> {
  const { exitCode, output, words } = await look(session, ['sh', '-c', script]);
  expect({ script, exitCode, words }).toMatchObject({ exitCode: 0 });
  return output;
}

async function pair() {
  const lab = labOf(['a', 'b'], {
    a: ", exec: ['ip addr add 10.9.0.1/24 dev r']",
    b: ", exec: ['ip addr add 10.9.0.2/24 dev l']",
  });
  expect(await lab.run('containerlab', ...deploy)).toMatchObject({ exitCode: 0 });
  const sessionOf = (node: string): NodeSession =>
    sessionHere({ node, way: ['nsenter', '--target', String(lab.pidOf(node)), '--net'] }).session;
  return { a: sessionOf('a'), b: sessionOf('b') };
}

interface Arrival {
  readonly ms: number;
  readonly sequence: number;
}

/** The echo requests that arrive at `b`. */
async function captured(session: NodeSession) {
  const capture = startProgram(
    session,
    ['tcpdump', '-i', 'l', '-n', '-tt', '-l', '--immediate-mode', 'icmp[icmptype] = icmp-echo'],
    false,
  );
  let text = '';
  const reading = (async () => {
    for await (const chunk of capture.output()) text += chunk.toString('utf8');
  })();
  expect(await capture.says('listening on')).toBe(true);
  return async (): Promise<readonly Arrival[]> => {
    capture.interrupt();
    await reading;
    await capture.ended;
    return [...text.matchAll(/^(\d+\.\d+) .* seq (\d+),/gm)].map(([, seconds, sequence]) => ({
      ms: Number(seconds) * 1000,
      sequence: Number(sequence),
    }));
  };
}

/** Measures an outage once: the probes that were lost at the sender, and those that never came to the receiver. */
async function measured({ a, b }: Awaited<ReturnType<typeof pair>>, outageMs: number) {
  const stop = await captured(b);
  const stream = { name: 'a → b IPv4', from: 'a', address: '10.9.0.2', source: null, periodMs };
  const probe = new Probe(stream, a);
  const begunMs = Date.now();
  await eventually('replies come', async () => probe.readings.lossIn(begunMs, Date.now()).sent > 10);
  const fromMs = Date.now();
  await run(a, `nft add element netdev t gone "{ 10.9.0.2 timeout ${outageMs}ms }"`);
  await eventually('it is over', async () => {
    const { lost, backMs } = probe.readings.lossIn(fromMs, Date.now() - 5 * periodMs);
    return lost > 0 && backMs !== null && Date.now() > backMs + 10 * periodMs;
  });
  const { lost, gaps } = probe.readings.lossIn(fromMs, Date.now() - 5 * periodMs);
  await probe.stop();
  const arrivals = await stop();
  const absent = arrivals.flatMap(({ ms, sequence }, index) => {
    const before = arrivals[index - 1];
    if (before === undefined || sequence === before.sequence + 1) return [];
    return [{ lost: sequence - before.sequence - 1, lastedMs: ms - before.ms }];
  });
  return { lost, gaps, absent };
}

for (const outageMs of [1_000, 100])
  it(`an outage of ${outageMs} ms is measured within the time between two probes${because}`, async () => {
    const nodes = await pair();
    await run(nodes.a, `nft -f - <<'END'\n${drops}\nEND`);
    for (;;) {
      const { lost, gaps, absent } = await measured(nodes, outageMs);
      // The same probes by the count at the sender as by the packets at the receiver.
      const counts = absent.map((gap) => gap.lost);
      expect({ gaps: gaps.map((gap) => gap.lost), missed: counts }).toEqual({ gaps: counts, missed: [lost] });
      // A busy machine may have stopped the sender: it sends fewer probes meanwhile, and catches up afterwards.
      const hadPace = absent.every(
        ({ lastedMs }) => Math.abs(lastedMs - (lost + 1) * periodMs) < periodMs / 2,
      );
      if (!hadPace) continue;
      expect(Math.abs(lost * periodMs - outageMs)).toBeLessThanOrEqual(periodMs);
      return;
    }
  });
