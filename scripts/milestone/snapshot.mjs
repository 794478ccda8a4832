/**
 * `scripts/milestone.mjs snapshot`: a lab of 18 FRR routers and two hosts is kept, taken down and started again in other workspaces;
 * each router must have the same configuration, also where it was changed by hand.
 */
import { done, must } from '../lib/words.mjs';
import { call, endOf, inNamespaces, labMayBeUp, prepare, start, succeed, url } from './stage.mjs';

const routers = Array.from({ length: 18 }, (_, at) => `r${at + 1}`);

/** A ring with a host at two of its routers. */
function topology() {
  const ring = routers.map((name, at) => `- ${name}-${routers[(at + 1) % routers.length]}`);
  return [
    'name: ring',
    'provider: clab',
    'defaults.device: frr',
    'module: [ospf, bgp]',
    'bgp.as: 65000',
    'nodes:',
    ...routers.map((name) => `  ${name}:`),
    '  h1: {device: linux}',
    '  h2: {device: linux}',
    'links:',
    ...ring,
    '- h1-r1',
    '- h2-r9',
  ].join('\n');
}

/** Changes that no topology has: a route is added, a cost is set, and BGP is removed. */
const byHand = [
  'interface eth1',
  'ip ospf cost 77',
  'exit',
  'no router bgp 65000',
  'ip route 192.0.2.0/24 blackhole',
];

/** @param {string} lab @returns {Promise<Map<string, string>>} */
async function configurationsOf(lab) {
  const found = new Map();
  for (const node of routers) {
    const reply = await fetch(`${url()}/labs/${lab}/nodes/${node}/configuration`);
    must(reply.ok, `the configuration of ${node} is ${reply.status}`);
    found.set(node, await reply.text());
  }
  return found;
}

/** @param {{ jobs: { id: string, action: string }[] }[]} labs */
async function allEnd(labs) {
  for (const { id, action } of labs.flatMap(({ jobs }) => jobs)) {
    const { state, error } = await endOf(id);
    must(state === 'success', `${action} is ${state}: ${error}`);
  }
}

export async function snapshotRound() {
  prepare(inNamespaces());
  await start();
  labMayBeUp({ workspace: 'ring' });
  const { instance } = await succeed({
    action: 'up',
    workspace: 'ring',
    topology: topology(),
    multilabId: 'auto',
  });
  const words = ['vtysh', '-c', 'configure', ...byHand.flatMap((line) => ['-c', line])];
  const { answers } = await call(`/labs/${instance}/exec`, { nodes: ['r3'], command: words });
  must(answers[0].exitCode === 0, `r3 does not take a change: ${answers[0].output}`);
  const before = await configurationsOf(instance);
  must(!before.get('r3')?.includes('router bgp'), 'r3 still has BGP');
  const kept = await call(`/labs/${instance}/snapshots`, { name: 'stage' });
  must(kept.complete, `the snapshot is not complete: ${JSON.stringify(kept.nodes)}`);
  done(`kept ${kept.nodes.length} nodes and ${kept.files} files in ${kept.size} bytes`);
  const drift = await call(`/labs/${instance}/diff`);
  must(!drift.differs, 'the lab differs from what was just kept');
  done('nothing has drifted');
  await succeed({ action: 'down', workspace: 'ring', cleanup: true });

  labMayBeUp({ workspace: 'again' });
  const { labs, warnings } = await call('/snapshots/stage/restore', { workspace: 'again' });
  must(warnings.length === 0, warnings.join('; '));
  await allEnd(labs);
  const [{ jobs }] = labs;
  const after = await configurationsOf(jobs[0].instance);
  const others = routers.filter((node) => before.get(node) !== after.get(node));
  must(others.length === 0, `these configurations are others: ${others.join(', ')}`);
  done(`${routers.length} configurations are the same, byte for byte`);
  const now = await call(`/labs/${jobs[0].instance}/diff`);
  must(
    !now.differs && now.before.snapshot === 'stage',
    'the lab differs from the snapshot that it came from',
  );
  done('the comparison says so, too');
  const reached = await call(`/labs/${jobs[0].instance}/exec`, {
    nodes: ['h1'],
    command: ['sh', '-c', 'for i in $(seq 60); do ping -c1 -W1 h2 >/dev/null && exit 0; done; exit 1'],
    timeoutSeconds: 120,
  });
  must(reached.answers[0].exitCode === 0, 'h1 does not reach h2 across the ring');
  done('h1 reaches h2 across the ring');
  await succeed({ action: 'down', workspace: 'again', cleanup: true });
  labMayBeUp(undefined);
}
