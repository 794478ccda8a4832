// Clients that submit, read, cancel, retry and remove jobs at random, through any host, and note the answers.
import { setTimeout as delay } from 'node:timers/promises';
import { some } from '../lib/random.mjs';

/** @typedef {import('../lib/random.mjs').Random} Random */
/** @typedef {import('./service.mjs').Service} Service */
/** @typedef {import('./service.mjs').Reply} Reply */

/**
 * @typedef {object} Means
 * @property {readonly Service[]} services
 * @property {import('./ledger.mjs').Ledger} ledger
 * @property {Random} random
 * @property {(random: Random) => { task: object, body: Record<string, unknown> }} makeJob
 * @property {AbortSignal} signal ends the run
 * @property {boolean} [mayFail] whether other errors than those of the request are no violation: a host may be away
 */

/** A request with a key is repeated until an answer says what became of it. */
const isAnswer = (/** @type {number} */ status) => status < 500 && status !== 429;

/** Submits, looks, cancels, retries and removes, whether the service is there or not. */
export class User {
  /** @type {string[]} */
  #recent = [];

  /** @param {Means} means */
  constructor(means) {
    this.means = means;
  }

  get service() {
    return some(this.means.random, this.means.services);
  }

  /** One of the last jobs; undefined when there is none yet. @returns {string | undefined} */
  get recent() {
    return some(this.means.random, this.#recent);
  }

  /** @param {string} what @param {Reply} reply @param {number[]} allowed */
  expect(what, reply, ...allowed) {
    const { ledger, mayFail = false } = this.means;
    const { status, body } = reply;
    ledger.count(what, reply);
    // 429, 503: too many wait, or it is shutting down.
    if (mayFail || status === 500 || [...allowed, 429, 503].includes(status)) return;
    ledger.violations.push(`${what}: ${status} ${body?.error}`);
  }

  /** @param {Reply} reply */
  #note({ status, body }) {
    if (status !== 202) return;
    this.means.ledger.accepted.set(body.id, body.labels['chaos']);
    this.#recent.push(body.id);
    if (this.#recent.length > 5) this.#recent.shift();
  }

  /** @param {boolean} hasKey */
  #newRequest(hasKey) {
    const { ledger, random, makeJob } = this.means;
    const { body, task } = makeJob(random);
    const label = String(ledger.submitted.size);
    const key = hasKey ? `key-${label}` : undefined;
    ledger.submitted.set(label, { ...task, key });
    return { key, label, body: { ...body, labels: { chaos: label } } };
  }

  async submit() {
    const { body } = this.#newRequest(false);
    const reply = await this.service.request('POST', '/jobs', { body });
    this.expect('POST /jobs', reply, 202);
    this.#note(reply);
  }

  /** A client that gets no answer asks again with the same key, and once more to see that it is the same job. */
  async submitOnce() {
    const { ledger } = this.means;
    const { label, key = '', body } = this.#newRequest(true);
    const first = await this.#insist(body, key);
    if (first?.status !== 202) return;
    this.#note(first);
    ledger.keyed.set(label, first.body.id);
    const second = await this.#insist(body, key);
    if (second === undefined) return;
    this.#note(second);
    // Its removal sets the key free.
    const isSame = second.status === 202 && second.body.id === first.body.id;
    if (isSame || ledger.doomed.has(first.body.id)) return;
    ledger.violations.push(
      `${key} made ${first.body.id} on ${first.body.host}, and then ${second.status} ` +
        (second.body.id ? `${second.body.id} on ${second.body.host}` : second.body.error),
    );
  }

  /** Gives up a while after the run is over: then nothing of it is known. @param {unknown} body @param {string} key */
  async #insist(body, key) {
    const { signal } = this.means;
    for (let left = 40; left > 0; left -= signal.aborted ? 1 : 0) {
      try {
        const reply = await this.service.request('POST', '/jobs', { body, key });
        this.expect('POST /jobs with a key', reply, 202);
        if (isAnswer(reply.status)) return reply;
      } catch {
        // The service is away.
      }
      await delay(200);
    }
    return undefined;
  }

  async cancel() {
    const { ledger, random } = this.means;
    // Half of them what runs, half what may wait, have ended, or be about to start.
    const reply =
      random() < 0.5 ? await this.service.request('GET', '/jobs?state=running&limit=20') : undefined;
    const running = /** @type {{ id: string }[]} */ (reply?.status === 200 ? reply.body.jobs : []);
    const id = some(random, running)?.id ?? this.recent;
    if (id === undefined) return;
    ledger.touched.add(id);
    const answer = await this.service.request('POST', `/jobs/${id}/cancel`, {
      body: { force: random() < 0.3 },
    });
    // 409: it has ended before.
    this.expect('cancel', answer, 200, 202, 409, ...this.#goneStatus(id));
    if (answer.status !== 200 && answer.status !== 202) return;
    ledger.see(answer.body);
    if (!ledger.cancels.has(id)) ledger.cancels.set(id, answer.body.state);
  }

  async look() {
    const id = this.recent;
    if (id === undefined) return;
    const reply = await this.service.request('GET', `/jobs/${id}`);
    this.expect('GET /jobs/ID', reply, 200, ...this.#goneStatus(id));
    if (reply.status === 200) this.means.ledger.see(reply.body);
  }

  async retry() {
    const id = this.recent;
    if (id === undefined) return;
    // 409: it has not ended.
    const reply = await this.service.request('POST', `/jobs/${id}/retry`, {});
    this.expect('retry', reply, 202, 409, ...this.#goneStatus(id));
    this.#note(reply);
  }

  async remove() {
    const id = this.recent;
    if (id === undefined) return;
    this.means.ledger.doomed.add(id);
    const reply = await this.service.request('DELETE', `/jobs/${id}`, {});
    this.expect('DELETE /jobs/ID', reply, 204, 409, ...this.#goneStatus(id));
    if (reply.status === 204) this.means.ledger.removed.add(id);
  }

  /** @param {string} id */
  #goneStatus(id) {
    return this.means.ledger.doomed.has(id) ? [404] : [];
  }
}

/**
 * Lets a user do one thing after the other until the run is over.
 * @param {User} user
 * @param {readonly (() => Promise<unknown>)[]} deeds an action that stands there twice is done twice as often
 */
export async function useService({ means: { random, signal } }, deeds) {
  while (!signal.aborted) {
    // The service may be away at any moment: that is what this is about.
    await some(random, deeds)().catch(() => undefined);
    await delay(50 + random() * 450);
  }
}
