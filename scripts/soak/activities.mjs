/** The activities of a team, each as a function that does it once. An unexpected answer throws. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { some } from '../lib/random.mjs';
import { root } from '../lib/service.mjs';
import { must } from '../lib/words.mjs';

/**
 * @typedef {object} Means
 * @property {import('../../src/client/public.ts').LabApiClient} client of an administrator
 * @property {(token: string) => import('../../src/client/public.ts').LabApiClient} clientWith
 * @property {(path: string) => Promise<void>} remove
 * @property {import('../lib/random.mjs').Random} random
 * @property {string} lane a name that no other lane has
 * @property {AbortSignal} signal the end of the soak
 */

const topology = readFileSync(path.join(root, 'examples/two-hosts/topology.yml'), 'utf8');

/** A job that makes files, fails, or is canceled. @param {Means} means */
async function jobs({ client, random, lane }) {
  const kind = some(random, /** @type {const} */ (['success', 'failed', 'canceled']));
  const workspace = `jobs-${lane}`;
  const broken = kind === 'failed' ? 'nodes: [h1]\nlinks: [h1-h2]\n' : topology;
  const job = await client.startJob({
    action: 'create',
    workspace,
    topology: broken,
    labels: { soak: lane },
  });
  // It may have ended before.
  if (kind === 'canceled') await client.cancelJob(job.id).catch(() => undefined);
  const { state } = await client.waitForJob(job.id);
  must(
    state === kind || (kind === 'canceled' && state === 'success'),
    `a job that should be ${kind} is ${state}`,
  );
  await client.readLogText(job.id);
  if (random() < 0.3) await client.removeJob(job.id);
}

/** A lab from start to end, with commands, a terminal, traffic and faults. @param {Means} means */
async function labs({ client, random, lane }) {
  const request = { workspace: `lab-${lane}`, multilabId: Number(lane) + 1 };
  const up = await client.waitForJob((await client.startJob({ ...request, action: 'up', topology })).id);
  must(up.state === 'success', `an up is ${up.state}: ${up.error}`);
  const lab = String(request.multilabId);
  const node = client.node(lab, 'h1');
  const ping = await node.exec({ command: ['ping', '-c', '1', 'h2'] });
  must(ping.exitCode === 0, `a ping in lab ${lab} ended with ${ping.exitCode}`);
  const terminal = await node.terminal({ columns: 80, rows: 24 }, () => undefined);
  terminal.write(new TextEncoder().encode('ip addr; exit\r'));
  await terminal.ended;
  await client.traffic(lab);
  const faults = client.faults(lab);
  const [link] = await faults.links();
  if (link !== undefined && random() < 0.7) {
    await faults.breakLink(link.id, { kind: 'down' });
    await faults.healAll();
  }
  const down = await client.waitForJob(
    (await client.startJob({ ...request, action: 'down', cleanup: true })).id,
  );
  must(down.state === 'success', `a down is ${down.state}: ${down.error}`);
}

/** A workspace that comes and goes. @param {Means} means */
async function uploads({ client, random, lane }) {
  const name = `files-${lane}`;
  await client.workspaces.make(name);
  for (let number = 0; number < 5; number += 1)
    await client.workspaces.writeFile(
      name,
      `part-${number}.txt`,
      new Blob(['x'.repeat(Math.floor(random() * 100_000))]),
    );
  await (await client.workspaces.download(name)).arrayBuffer();
  await client.workspaces.remove(name);
}

/** A follower of all events who leaves after a while, with the next event. @param {Means} means */
async function followers({ client, random, signal }) {
  const untilMs = performance.now() + 2_000 + random() * 3_000;
  for await (const news of client.followEvents())
    if (news === undefined || performance.now() > untilMs || signal.aborted) break;
}

/** A colleague with a token, who is gone again. @param {Means} means */
async function users({ client, clientWith, remove, lane }) {
  const name = `guest-${lane}`;
  await client.request('POST', '/users', { body: { name, role: 'viewer', password: 'a long password' } });
  const { secret } = await client.request('POST', '/tokens', { body: { user: name } });
  await clientWith(String(secret)).listJobs({ limit: 5 });
  await client.request('PATCH', `/users/${name}`, { body: { role: 'operator' } });
  await remove(`/users/${name}`);
  await delay(1_000);
}

/** A dashboard. @param {Means} means */
async function dashboards({ client }) {
  await Promise.all([client.status(), client.labs(), client.listJobs({ limit: 50 }), client.stoppedLabs()]);
  await delay(200);
}

/** An administrator who has the settings read again. @param {Means} means */
async function reloads({ client }) {
  await client.hosts.reload();
  await delay(1_000);
}

/** By name, with the number of lanes that do it all the time. */
export const activities = /** @type {const} */ ([
  { act: jobs, lanes: 2 },
  { act: labs, lanes: 2 },
  { act: uploads, lanes: 1 },
  { act: followers, lanes: 2 },
  { act: users, lanes: 1 },
  { act: dashboards, lanes: 1 },
  { act: reloads, lanes: 1 },
]);
