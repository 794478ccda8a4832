// The machines of a cluster: Redis, which keeps its data on disk, and services with all that is their own.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Redis } from 'ioredis';
import { program, root, spawnService } from '../../lib/service.mjs';
import { tries } from '../../lib/wait.mjs';

/** @typedef {ReturnType<import('./network.mjs').Network['place']>} Place */

const secret = randomBytes(32).toString('base64');
const password = randomBytes(12).toString('hex');
/** A request that hangs is given up, as clients do. */
const patienceMs = 20_000;

export class RedisMachine {
  name = 'redis';
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  #place;
  #directory;

  /** @param {Place} place @param {string} directory */
  constructor(place, directory) {
    this.#place = place;
    this.#directory = directory;
    mkdirSync(directory);
    this.url = `redis://:${password}@${place.bind}:${place.port}/0`;
    this.client = new Redis(this.url, { lazyConnect: true, maxRetriesPerRequest: null });
    this.client.on('error', () => undefined);
  }

  start() {
    const { bind, port, within } = this.#place;
    const settings = {
      port,
      bind,
      dir: this.#directory,
      requirepass: password,
      save: '',
      appendonly: 'yes',
      'maxmemory-policy': 'noeviction',
    };
    const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const [command, ...rest] = [...within, 'redis-server', ...words];
    this.#child = spawn(String(command), rest, { stdio: 'ignore', detached: true });
    this.#child.on('error', () => undefined);
  }

  async answers() {
    await tries('Redis answers', async () => {
      if (this.client.status === 'wait') await this.client.connect();
      return (await this.client.ping()) === 'PONG';
    });
  }

  async kill() {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** While it is not running. */
  loseData() {
    for (const name of readdirSync(this.#directory))
      rmSync(path.join(this.#directory, name), { recursive: true, force: true });
  }

  async end() {
    this.client.disconnect();
    await this.kill();
  }
}

/** @typedef {{ body?: unknown, key?: string, signal?: AbortSignal, onPiece?: () => void }} RequestOptions */

export class Host {
  /** @type {import('../../lib/service.mjs').ServiceProcess | undefined} */
  #process;
  #place;
  /** Error messages of all processes so far. @type {string[]} */
  errors = [];

  /**
   * @param {{ name: string, labels: readonly string[], place: Place, directory: string, redisUrl: string,
   *   environment?: Readonly<Record<string, string>>, file?: string }} means file: another build of the program
   */
  constructor({ name, labels, place, directory, redisUrl, environment = {}, file = program }) {
    const inside = (/** @type {string} */ part) => path.join(directory, part);
    for (const one of [directory, inside('home'), inside('state')]) mkdirSync(one);
    this.name = name;
    this.file = file;
    this.labels = labels;
    this.#place = place;
    this.state = inside('state');
    this.dataDir = inside('data');
    this.url = `http://${place.bind}:${place.port}`;
    this.environment = {
      PATH: process.env.PATH,
      HOME: inside('home'),
      LAB_HOME: inside('home'),
      FAKE_LAB_STATE: this.state,
      LAB_API_CLI: path.join(root, 'tests/fixtures/programs/fake-netlab'),
      LAB_API_DATA_DIR: this.dataDir,
      LAB_API_WORKSPACES_DIR: inside('workspaces'),
      LAB_API_PORT: String(place.port),
      LAB_API_CANCEL_GRACE: '300ms',
      LAB_API_MIN_FREE_DISK: '1MiB',
      LAB_API_MAX_RUNNING_JOBS: '6',
      LAB_API_MAX_QUEUED_JOBS: '40',
      LAB_API_REDIS_URL: redisUrl,
      LAB_API_CLUSTER_SECRET: secret,
      LAB_API_HOST_NAME: name,
      LAB_API_HOST_LABELS: labels.join(','),
      ...environment,
    };
  }

  /** Its id, which it keeps. */
  get id() {
    return String(JSON.parse(readFileSync(path.join(this.dataDir, 'host.json'), 'utf8')).id);
  }

  /** Resolves when it listens; rejects when it ends before. */
  start() {
    const { bind, within } = this.#place;
    const service = spawnService({
      env: this.environment,
      file: this.file,
      bind,
      within,
      isDetached: true,
    });
    this.#process = service;
    service.child.once('close', () => {
      const lines = service.said().split('\n');
      // That Redis is away is what is done to it.
      const own = lines.filter((line) => line.includes('"level":"error"') && !line.includes('Redis is away'));
      this.errors.push(...own.map((line) => `${this.name} logged ${line}`));
    });
    return service.listening;
  }

  /** @param {NodeJS.Signals} [signal] */
  async kill(signal = 'SIGKILL') {
    await this.#process?.end(signal);
  }

  /**
   * The reply; rejects when the service cannot be reached, or the reply breaks off.
   * @param {string} method
   * @param {string} target
   * @param {RequestOptions} [options]
   * @returns {Promise<{ status: number, body: any }>}
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
