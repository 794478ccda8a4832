// The built service as a process that is killed and started again on the same port and data directory.
import { setTimeout as delay } from 'node:timers/promises';
import { spawnService } from '../lib/service.mjs';
import { messageOf } from '../lib/words.mjs';

/** @typedef {{ body?: unknown, key?: string }} RequestOptions */

export class Service {
  /** @type {import('../lib/service.mjs').ServiceProcess | undefined} */
  #process;
  #environment;
  /** Error messages of all processes so far. @type {string[]} */
  errors = [];

  /** @param {NodeJS.ProcessEnv} environment */
  constructor(environment) {
    this.#environment = environment;
    this.url = `http://127.0.0.1:${environment['LAB_API_PORT']}`;
  }

  /** Resolves when it listens; rejects when it ends before. */
  start() {
    const service = spawnService({ env: this.#environment });
    this.#process = service;
    service.child.once('close', () => {
      const lines = service.said().split('\n');
      this.errors.push(...lines.filter((line) => line.includes('"level":"error"')));
    });
    return service.listening;
  }

  /** @param {NodeJS.Signals} [signal] */
  async kill(signal = 'SIGKILL') {
    await this.#process?.end(signal);
  }

  /** What a second service on the same data directory says; it must refuse to start. */
  async secondOwner() {
    const second = new Service({ ...this.#environment, LAB_API_PORT: '0' });
    const reason = await second.start().then(() => undefined, messageOf);
    await second.kill();
    return reason;
  }

  /** As `request`, again and again until there is a reply. @param {[string, string, RequestOptions?]} request */
  async insist(...request) {
    for (;;) {
      try {
        return await this.request(...request);
      } catch {
        await delay(100);
      }
    }
  }

  /**
   * The reply; rejects when the service is away.
   * @param {string} method
   * @param {string} target
   * @param {RequestOptions} [options]
   * @returns {Promise<{ status: number, body: any }>}
   */
  async request(method, target, { body, key } = {}) {
    const reply = await fetch(`${this.url}${target}`, {
      method,
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    const text = await reply.text();
    const isJson = /json/.test(reply.headers.get('content-type') ?? '');
    return { status: reply.status, body: isJson ? JSON.parse(text) : text };
  }
}
