// Clients that do at random what clients do, and note what they were told.
import { setTimeout as delay } from 'node:timers/promises';

/** @typedef {import('../lib/random.mjs').Random} Random */
/** @typedef {{ status: number, body: any }} Reply */

/**
 * @typedef {object} Means
 * @property {import('./service.mjs').Service} service
 * @property {import('./ledger.mjs').Ledger} ledger
 * @property {Random} random
 * @property {(random: Random) => { task: import('./ledger.mjs').Task, body: Record<string, unknown> }} makeJob
 */

/** Somebody who submits, looks, cancels, retries and removes, whether the service is there or not. */
class User {
  #service;
  #ledger;
  #random;
  #makeJob;
  /** @type {string[]} */
  #recent = [];

  /** @param {Means} means */
  constructor({ service, ledger, random, makeJob }) {
    this.#service = service;
    this.#ledger = ledger;
    this.#random = random;
    this.#makeJob = makeJob;
  }

  /** One of them. @template Item @param {readonly Item[]} list @returns {Item | undefined} */
  some(list) {
    return list[Math.floor(this.#random() * list.length)];
  }

  /** @param {string} what @param {Reply} reply @param {number[]} allowed */
  #expect(what, { status, body }, ...allowed) {
    // 429, 503: too many wait, or it is shutting down.
    if ([...allowed, 429, 503].includes(status)) return;
    this.#ledger.violations.push(`${what}: ${status} ${body?.error}`);
  }

  /** @param {Reply} reply */
  #note({ status, body }) {
    if (status !== 202) return;
    this.#ledger.accepted.add(body.id);
    this.#recent.push(body.id);
    if (this.#recent.length > 4) this.#recent.shift();
  }

  #newRequest() {
    const { body, task } = this.#makeJob(this.#random);
    const label = String(this.#ledger.submitted.size);
    this.#ledger.submitted.set(label, task);
    return { ...body, labels: { chaos: label } };
  }

  async submit() {
    const reply = await this.#service.request('POST', '/jobs', { body: this.#newRequest() });
    this.#expect('POST /jobs', reply, 202);
    this.#note(reply);
  }

  /** Whoever gets no reply asks again, with the same key, and once more to see that it is the same job. */
  async submitOnce() {
    const body = this.#newRequest();
    const key = `key-${body.labels.chaos}`;
    const first = await this.#service.insist('POST', '/jobs', { body, key });
    const second = await this.#service.insist('POST', '/jobs', { body, key });
    for (const reply of [first, second]) this.#expect('POST /jobs with a key', reply, 202);
    if (first.status !== 202 || second.status !== 202) return;
    this.#note(first);
    this.#ledger.keyed.set(body.labels.chaos, first.body.id);
    // Its removal sets the key free.
    if (first.body.id !== second.body.id && !this.#ledger.doomed.has(first.body.id))
      this.#ledger.violations.push(`${key} made ${first.body.id} and ${second.body.id}`);
  }

  async cancel() {
    // Half of them what runs, half what may wait, have ended, or be about to start.
    const running =
      this.#random() < 0.5
        ? (await this.#service.request('GET', '/jobs?state=running&limit=20')).body.jobs
        : [];
    const id = this.some(running)?.id ?? this.some(this.#recent);
    if (id === undefined) return;
    this.#ledger.touched.add(id);
    const body = { force: this.#random() < 0.3 };
    const reply = await this.#service.request('POST', `/jobs/${id}/cancel`, { body });
    // 409: it has ended before.
    this.#expect(`cancel of ${id}`, reply, 200, 202, 409, ...this.#goneStatus(id));
    if (reply.status !== 200 && reply.status !== 202) return;
    this.#ledger.see(reply.body);
    if (!this.#ledger.cancels.has(id)) this.#ledger.cancels.set(id, reply.body.state);
  }

  async look() {
    const id = this.some(this.#recent);
    if (id === undefined) return;
    const reply = await this.#service.request('GET', `/jobs/${id}`);
    this.#expect(`GET of ${id}`, reply, 200, ...this.#goneStatus(id));
    if (reply.status === 200) this.#ledger.see(reply.body);
  }

  async retry() {
    const id = this.some(this.#recent);
    if (id === undefined) return;
    // 409: it has not ended.
    const reply = await this.#service.request('POST', `/jobs/${id}/retry`, {});
    this.#expect(`retry of ${id}`, reply, 202, 409, ...this.#goneStatus(id));
    this.#note(reply);
  }

  async remove() {
    const id = this.some(this.#recent);
    if (id === undefined) return;
    this.#ledger.doomed.add(id);
    const reply = await this.#service.request('DELETE', `/jobs/${id}`, {});
    this.#expect(`removal of ${id}`, reply, 204, 409, ...this.#goneStatus(id));
    if (reply.status === 204) this.#ledger.removed.add(id);
  }

  /** @param {string} id */
  #goneStatus(id) {
    return this.#ledger.doomed.has(id) ? [404] : [];
  }
}

/** @typedef {'submit' | 'submitOnce' | 'cancel' | 'look' | 'retry' | 'remove'} Deed */

/** @type {readonly Deed[]} */
const everything = ['submit', 'submit', 'submitOnce', 'cancel', 'cancel', 'look', 'retry', 'remove'];

/** @param {Means & { signal: AbortSignal, mix?: readonly Deed[] }} means */
export async function useService({ signal, mix = everything, ...means }) {
  const user = new User(means);
  while (!signal.aborted) {
    // The service may be away at any moment: that is what this is about.
    await user[user.some(mix) ?? 'look']().catch(() => undefined);
    await delay(50 + means.random() * 450);
  }
}
