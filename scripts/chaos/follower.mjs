// A client of GET /events that reconnects with its last id whenever the service goes away, and notes the events.
import { setTimeout as delay } from 'node:timers/promises';
import { tries } from '../lib/wait.mjs';

/** The fields of one event; undefined for a comment, and for an id alone. @param {string} block */
function parse(block) {
  const field = (/** @type {string} */ name) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  return { event: field('event'), id: field('id'), data: field('data') };
}

export class Follower {
  #url;
  /** @type {string | undefined} */
  #lastId;
  /** Job → the states that events reported, in order. @type {Map<string, string[]>} */
  histories = new Map();
  /** Why it had to begin anew. @type {string[]} */
  resets = [];
  /** @type {string[]} */
  violations = [];
  connections = 0;
  /** @param {string} url of the service */
  constructor(url) {
    this.#url = url;
  }

  /** Follows until the signal is aborted; resolves when it has got the first snapshot. @param {AbortSignal} signal */
  async begin(signal) {
    await new Promise((resolve) => void this.#follow(signal, () => resolve(undefined)));
  }

  /** @param {AbortSignal} signal @param {() => void} onReady */
  async #follow(signal, onReady) {
    // One for all connections would gather a listener for each of them.
    let connection = new AbortController();
    signal.addEventListener('abort', () => connection.abort(), { once: true });
    while (!signal.aborted) {
      connection = new AbortController();
      await this.#connect(connection.signal, onReady).catch(() => undefined);
      await delay(100);
    }
  }

  /** @param {AbortSignal} signal @param {() => void} onReady */
  async #connect(signal, onReady) {
    const headers = this.#lastId === undefined ? {} : { 'Last-Event-ID': this.#lastId };
    const reply = await fetch(`${this.#url}/events?types=job`, { headers, signal });
    this.connections += 1;
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of reply.body ?? []) {
      const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.#take(parse(block), onReady);
    }
  }

  /** @param {ReturnType<typeof parse>} event @param {() => void} onReady */
  #take({ event, id, data = 'null' }, onReady) {
    if (id !== undefined) this.#lastId = id;
    if (event === 'ready') onReady();
    if (event === 'reset') this.resets.push(data);
    if (event === 'job') this.#note(JSON.parse(data));
  }

  /** @param {{ change: string, job: { id: string, state: string } }} data */
  #note({ change, job: { id, state } }) {
    // An event reports a removal once or, when the service is killed in that instant, not at all.
    if (change === 'progress' || change === 'removed') return;
    const history = this.histories.get(id) ?? [];
    const isRight = change === (history.length === 0 ? 'created' : 'state');
    if (!isRight) this.violations.push(`${id}: "${change} ${state}" after "${history.join(', ')}"`);
    this.histories.set(id, [...history, state]);
  }
}

/** From which state to which a job may go: the table of docs/architecture.md. @type {Record<string, readonly string[]>} */
const transitions = {
  '': ['queued'],
  queued: ['running', 'canceled'],
  running: ['canceling', 'success', 'failed', 'queued'],
  canceling: ['canceled', 'success', 'failed'],
};

/** @param {Follower} follower @param {readonly import('./ledger.mjs').Job[]} jobs */
function auditFollower({ histories, violations, resets }, jobs) {
  const found = [...violations, ...resets.map((reason) => `a reset: ${reason}`)];
  for (const [id, history] of histories) {
    const isWhole = history.every((to, index) => transitions[history[index - 1] ?? '']?.includes(to));
    if (!isWhole) found.push(`${id}: events reported "${history.join(', ')}"`);
  }
  for (const { id, state } of jobs) {
    const last = histories.get(id)?.at(-1);
    if (last !== state) found.push(`${id} is ${state}; the last event reported "${last}"`);
  }
  return found;
}

/**
 * Each follower got every transition of every job, once and in order, and all the same ones.
 * @param {readonly Follower[]} followers
 * @param {readonly import('./ledger.mjs').Job[]} jobs all that are left, at their end
 */
export async function auditFollowers(followers, jobs) {
  const isTold = (/** @type {Follower} */ { histories }) =>
    jobs.every(({ id, state }) => histories.get(id)?.at(-1) === state);
  const areTold = () => Promise.resolve(followers.every(isTold));
  await tries('every follower gets every end', areTold, 60).catch(() => undefined);
  const told = followers.map(({ histories }) =>
    JSON.stringify(jobs.map(({ id }) => histories.get(id) ?? null)),
  );
  const texts = new Set(told);
  return [
    ...new Set(followers.flatMap((follower) => auditFollower(follower, jobs))),
    ...(texts.size > 1 ? [`the followers got ${texts.size} different lists of transitions`] : []),
  ];
}
