// What clients of the cluster do: submit at a steady rate, and read.
import { setTimeout as delay } from 'node:timers/promises';
import { call, endOf } from '../../lib/http.mjs';
import { timed } from '../kit.mjs';

/** @typedef {import('./hosts.mjs').Service} Service */

const topology = 'name: bench\nnodes: [h1, h2]\nlinks: [h1-h2]\n';

/**
 * Submits at a steady rate, however long the replies take; a submission takes from when it was due to its reply.
 * @param {readonly Service[]} services asked in turn
 * @param {{ count: number, rate: number }} load
 */
export async function offerJobs(services, { count, rate }) {
  /** @type {number[]} */
  const took = [];
  /** @type {Map<string, number>} */
  const refused = new Map();
  const began = performance.now();
  const submit = async (/** @type {number} */ at) => {
    const due = began + (at * 1000) / rate;
    await delay(Math.max(0, due - performance.now()));
    const url = services[at % services.length]?.url;
    const labels = { sentAtMs: String(Date.now()) };
    try {
      await call(`${url}/jobs`, {
        action: 'up',
        workspace: 'auto',
        topology,
        hostLabels: ['simulated'],
        labels,
      });
      took.push(performance.now() - due);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      refused.set(reason, (refused.get(reason) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: count }, async (_, at) => submit(at)));
  return { took, refused, seconds: (performance.now() - began) / 1000 };
}

/**
 * The same job through its host and through another one, by turns.
 * @param {readonly Service[]} services
 * @param {number} count
 */
export async function readBoth(services, count) {
  const [owner, other] = services;
  if (owner === undefined || other === undefined)
    throw new Error('it takes two services to ask the wrong one');
  const { id } = await call(`${owner.url}/jobs`, {
    action: 'up',
    workspace: 'auto',
    topology,
    host: owner.name,
  });
  await endOf(owner.url, id);
  const [own, through] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  // The first tenth is the compilers'.
  for (let at = -count / 10; at < count; at += 1) {
    const one = await timed(async () => call(`${owner.url}/jobs/${id}`));
    const two = await timed(async () => call(`${other.url}/jobs/${id}`));
    if (at < 0) continue;
    own.push(one);
    through.push(two);
  }
  return { owner: own, through };
}
