// A client of GET /events that comes back after its last id whenever the service goes away, and notes what it was told.
import { setTimeout as delay } from 'node:timers/promises';

/** The fields of one event; undefined for a comment, and for an id alone. @param {string} block */
function parse(block) {
  const field = (/** @type {string} */ name) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  return { event: field('event'), id: field('id'), data: field('data') };
}

export class Follower {
  #url;
  /** @type {string | undefined} */
  #lastId;
  /** Job → the states that it was told of, in order. @type {Map<string, string[]>} */
  histories = new Map();
  /** Why it had to begin anew. @type {string[]} */
  resets = [];
  /** @type {string[]} */
  violations = [];
  connections = 0;
  /** Number of jobs of which it was told that they have ended. */
  ended = 0;

  /** @param {string} url of the service */
  constructor(url) {
    this.#url = url;
  }

  /** Follows until the signal is aborted. @param {AbortSignal} signal @param {() => void} onReady */
  async follow(signal, onReady) {
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

  /** @param {{ change: string, job: { id: string, state: string, finishedAt: string | null } }} data */
  #note({ change, job: { id, state, finishedAt } }) {
    if (change === 'progress') return;
    const history = this.histories.get(id) ?? [];
    const isRight = change === (history.length === 0 ? 'created' : 'state');
    if (!isRight) this.violations.push(`${id}: "${change} ${state}" after "${history.join(', ')}"`);
    this.histories.set(id, [...history, state]);
    if (finishedAt !== null) this.ended += 1;
  }
}
