// Clients that do at random what clients do, each time through another host, and note what they were told.
import { setTimeout as delay } from 'node:timers/promises';
import { makeRequest, some } from './requests.mjs';

/** @typedef {import('../../lib/random.mjs').Random} Random */
/** @typedef {import('./machines.mjs').Host} Host */

/**
 * @typedef {object} Means
 * @property {readonly [Host, ...Host[]]} hosts
 * @property {import('./ledger.mjs').ClusterLedger} ledger
 * @property {Random} random
 * @property {readonly string[]} directories
 * @property {AbortSignal} signal
 */

/** Who repeats a request with a key asks until there is an answer that says what became of it. */
const isAnswer = (/** @type {number} */ status) => status < 500 && status !== 429;

class Client {
  #means;
  /** @type {string[]} */
  #recent = [];

  /** @param {Means} means */
  constructor(means) {
    this.#means = means;
  }

  get #host() {
    return some(this.#means.random, this.#means.hosts);
  }

  get #id() {
    return this.#recent[Math.floor(this.#means.random() * this.#recent.length)];
  }

  /** @param {boolean} hasKey */
  #newRequest(hasKey) {
    const { ledger, random, directories } = this.#means;
    const { task, body } = makeRequest(random, directories);
    const label = String(ledger.submitted.size);
    const key = hasKey ? `key-${label}` : undefined;
    ledger.submitted.set(label, { ...task, key });
    return { label, key, body: { ...body, labels: { chaos: label } } };
  }

  /** @param {string} label @param {{ status: number, body: any }} reply */
  #note(label, { status, body }) {
    if (status !== 202) return;
    this.#means.ledger.accepted.set(body.id, label);
    this.#recent.push(body.id);
    if (this.#recent.length > 6) this.#recent.shift();
  }

  async submit() {
    const { label, body } = this.#newRequest(false);
    const reply = await this.#host.request('POST', '/jobs', { body });
    this.#means.ledger.count('POST /jobs', reply);
    this.#note(label, reply);
  }

  /** Whoever gets no reply asks again, with the same key, through whichever host, and once more to see that it is the same job. */
  async submitOnce() {
    const { ledger } = this.#means;
    const { label, key = '', body } = this.#newRequest(true);
    const first = await this.#insist(body, key);
    if (first?.status !== 202) return;
    this.#note(label, first);
    const second = await this.#insist(body, key);
    if (second === undefined) return;
    if (second.status !== 202 || second.body.id !== first.body.id)
      ledger.violations.push(
        `${key} made ${first.body.id} on ${first.body.host}, and then ${second.status} ` +
          (second.body.id ? `${second.body.id} on ${second.body.host}` : second.body.error),
      );
    this.#note(label, second);
  }

  /** Gives up a while after the run is over: then nothing of it is known. @param {unknown} body @param {string} key */
  async #insist(body, key) {
    const { ledger, signal } = this.#means;
    for (let left = 40; left > 0; left -= signal.aborted ? 1 : 0) {
      try {
        const reply = await this.#host.request('POST', '/jobs', { body, key });
        ledger.count('POST /jobs with a key', reply);
        if (isAnswer(reply.status)) return reply;
      } catch {
        // The host is away.
      }
      await delay(300);
    }
    return undefined;
  }

  async cancel() {
    const { ledger, random } = this.#means;
    const id = this.#id;
    if (id === undefined) return;
    ledger.touched.add(id);
    const body = { force: random() < 0.3 };
    const reply = await this.#host.request('POST', `/jobs/${id}/cancel`, { body });
    ledger.count('cancel', reply);
    if (reply.status === 202 || reply.status === 200) ledger.canceled.add(id);
    if (reply.status === 200) ledger.see(reply.body);
  }

  async look() {
    const id = this.#id;
    if (id === undefined) return;
    const reply = await this.#host.request('GET', `/jobs/${id}`);
    this.#means.ledger.count('GET /jobs/ID', reply);
    if (reply.status === 200) this.#means.ledger.see(reply.body);
  }

  async list() {
    const reply = await this.#host.request('GET', '/jobs?limit=50');
    this.#means.ledger.count('GET /jobs', reply);
    if (reply.status === 200) for (const job of reply.body.jobs) this.#means.ledger.see(job);
  }

  async readLog() {
    const { ledger, random } = this.#means;
    const id = this.#id;
    if (id === undefined) return;
    const host = this.#host;
    const isFollowed = random() < 0.5;
    const began = new Date().toISOString();
    const query = `output=text${isFollowed ? '&follow=true' : ''}`;
    const reply = await host.request('GET', `/jobs/${id}/log?${query}`);
    ledger.count(isFollowed ? 'log, followed' : 'log', reply);
    if (reply.status !== 200) return;
    const when = `${began} to ${new Date().toISOString()}`;
    if (isFollowed) ledger.followed.push({ id, through: host.name, text: reply.body, when });
    const ends = ledger.submitted.get(ledger.accepted.get(id) ?? '')?.ends ?? [];
    if (!ends.some(({ log }) => log.startsWith(reply.body)))
      ledger.violations.push(
        `the log of ${id} through ${host.name} is not what it prints: "${reply.body.slice(0, 80)}"`,
      );
  }
}

/** @type {readonly ['submit', ...('submit' | 'submitOnce' | 'cancel' | 'look' | 'list' | 'readLog')[]]} */
const mix = ['submit', 'submit', 'submitOnce', 'submitOnce', 'cancel', 'look', 'list', 'readLog', 'readLog'];

/** @param {Means} means */
export async function useCluster(means) {
  const client = new Client(means);
  while (!means.signal.aborted) {
    // Any host may be away at any moment: that is what this is about.
    await client[some(means.random, mix)]().catch(() => undefined);
    await delay(50 + means.random() * 400);
  }
}
