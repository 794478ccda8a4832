// The built service as a process that is killed and started again on the same port and data directory.
import { once } from 'node:events';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { program, spawnService } from '../lib/service.mjs';
import { messageOf } from '../lib/words.mjs';

/** A request that hangs is given up, as clients do. */
const patienceMs = 20_000;

/** @typedef {import('../lib/redis.mjs').Place} Place */
/** @typedef {{ body?: unknown, key?: string, signal?: AbortSignal, onPiece?: () => void }} RequestOptions */
/** @typedef {{ status: number, body: any }} Reply */

export class Service {
  /** @type {import('../lib/service.mjs').ServiceProcess | undefined} */
  #process;
  /** The errors in the logs of all processes so far, as sentences. @type {string[]} */
  errors = [];

  /**
   * @param {NodeJS.ProcessEnv} environment
   * @param {Place} place
   * @param {string} [file] another build of the program
   */
  constructor(environment, place, file = program) {
    this.environment = { ...environment, LAB_API_PORT: String(place.port) };
    this.place = place;
    this.file = file;
    this.url = `http://${place.bind}:${place.port}`;
  }

  /** Resolves when it listens; rejects when it ends before. */
  start() {
    const { bind, within } = this.place;
    const service = spawnService({ env: this.environment, file: this.file, bind, within, isDetached: true });
    this.#process = service;
    service.child.once('close', () => {
      const lines = service.said().split('\n');
      this.noteErrors(lines.filter((line) => line.includes('"level":"error"')));
    });
    return service.listening;
  }

  /** @param {readonly string[]} lines of the log of a process that ended, with the level `error` */
  noteErrors(lines) {
    this.errors.push(...lines.map((line) => `the service logged ${line}`));
  }

  /** @param {NodeJS.Signals} [signal] */
  async kill(signal = 'SIGKILL') {
    await this.#process?.end(signal);
  }

  /** The error of a second service on the same data directory, which must refuse to start; undefined when it starts. */
  async secondOwner() {
    const second = new Service(this.environment, { ...this.place, port: 0 });
    const reason = await second.start().then(() => undefined, messageOf);
    await second.kill();
    return reason;
  }

  /** All jobs that the service lists, and the hosts whose jobs are missing from the list. */
  async listJobs() {
    /** @type {import('./ledger.mjs').Job[]} */
    const jobs = [];
    /** @type {Set<string>} */
    const missing = new Set();
    for (let cursor = ''; cursor !== null;) {
      const { status, body } = await this.request('GET', `/jobs?limit=500${cursor && `&cursor=${cursor}`}`);
      if (status !== 200) throw new Error(`GET /jobs of ${this.url}: ${status} ${body.error}`);
      jobs.push(...body.jobs);
      for (const name of body.missingHosts ?? []) missing.add(name);
      cursor = body.nextCursor;
    }
    return { jobs, missing: [...missing] };
  }

  /**
   * The reply; rejects when the service cannot be reached, or the reply breaks off.
   * @param {string} method
   * @param {string} target
   * @param {RequestOptions} [options]
   * @returns {Promise<Reply>}
   */
  async request(method, target, { body, key, signal, onPiece = () => undefined } = {}) {
    const tooLate = AbortSignal.timeout(patienceMs);
    // Not by fetch: it takes a chunked reply for whole that breaks off on a connection that is to be closed.
    const request = http.request(`${this.url}${target}`, {
      method,
      agent: false,
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
      signal: signal === undefined ? tooLate : AbortSignal.any([signal, tooLate]),
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
    const [reply] = /** @type {[http.IncomingMessage]} */ (await once(request, 'response'));
    reply.on('data', onPiece);
    const text = (await buffer(reply)).toString();
    const isJson = /json/.test(reply.headers['content-type'] ?? '');
    return { status: reply.statusCode ?? 0, body: isJson ? JSON.parse(text) : text };
  }
}
