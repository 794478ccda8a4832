// What the clients of the service know: the jobs that were accepted, the cancels that were answered, the ends they saw.
import { setTimeout as delay } from 'node:timers/promises';

const terminal = new Set(['success', 'failed', 'canceled']);
export const isTerminal = (job) => terminal.has(job.state);

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function makeRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class Ledger {
  /** Label → what was submitted; a job that was never answered for may or may not be there. */
  submitted = new Map();
  /** Ids with a 202. */
  accepted = new Set();
  /** Id → the state with which a cancel was answered. */
  cancels = new Map();
  /** Ids that somebody tried to cancel, answered or not. */
  touched = new Set();
  /** Id → the first end that was seen. */
  ends = new Map();
  violations = [];

  /** A terminal state never changes, over restarts too. */
  see(job) {
    if (!isTerminal(job)) return;
    const end = `${job.state}, ${job.reason}, exit code ${job.exitCode}`;
    const before = this.ends.get(job.id);
    if (before !== undefined && before !== end)
      this.violations.push(`${job.id} was "${before}" and is "${end}" now`);
    this.ends.set(job.id, end);
  }
}

/** Somebody who submits, looks and cancels until `signal` is aborted, whether the service is there or not. */
export async function useService({ service, ledger, random, signal, makeJob }) {
  const some = (list) => list[Math.floor(random() * list.length)];
  const recent = [];
  const actions = {
    submit: async () => {
      const label = String(ledger.submitted.size);
      const { body, task } = makeJob(random);
      ledger.submitted.set(label, task);
      const reply = await service.request('POST', '/jobs', { ...body, labels: { chaos: label } });
      if (reply.status === 202) {
        ledger.accepted.add(reply.body.id);
        recent.push(reply.body.id);
        if (recent.length > 4) recent.shift();
      } else if (reply.status !== 503)
        ledger.violations.push(`POST /jobs: ${reply.status} ${reply.body.error}`);
    },
    cancel: async () => {
      // Half of them what runs, half what may wait, have ended, or be about to start.
      const running =
        random() < 0.5 ? (await service.request('GET', '/jobs?state=running&limit=20')).body.jobs : [];
      const id = some(running)?.id ?? some(recent);
      if (id === undefined) return;
      ledger.touched.add(id);
      const reply = await service.request('POST', `/jobs/${id}/cancel`, { force: random() < 0.3 });
      if (reply.status === 200 || reply.status === 202) {
        ledger.see(reply.body);
        if (!ledger.cancels.has(id)) ledger.cancels.set(id, reply.body.state);
      } else if (![409, 503].includes(reply.status))
        // 409: it has ended before.
        ledger.violations.push(`cancel of ${id}: ${reply.status} ${reply.body.error}`);
    },
    look: async () => {
      const id = some(recent);
      if (id === undefined) return;
      const reply = await service.request('GET', `/jobs/${id}`);
      if (reply.status === 200) ledger.see(reply.body);
      else ledger.violations.push(`GET of ${id}: ${reply.status}`);
    },
  };
  while (!signal.aborted) {
    const action = some(['submit', 'submit', 'cancel', 'look']);
    // The service may be away at any moment: that is what this is about.
    await actions[action]().catch(() => undefined);
    await delay(50 + random() * 450);
  }
}
