// The machines of a cluster: Redis, which keeps its data on disk, and services with all that is their own.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import { root } from '../../lib/service.mjs';
import { tries } from '../../lib/wait.mjs';
import { Service } from '../service.mjs';

/** @typedef {import('../service.mjs').Place} Place */

const secret = randomBytes(32).toString('base64');
const password = randomBytes(12).toString('hex');

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

/** A service of the cluster, with all that is its own. */
export class Host extends Service {
  /**
   * @param {{ name: string, labels: readonly string[], place: Place, directory: string, redisUrl: string,
   *   environment?: Readonly<Record<string, string>>, file?: string }} means file: another build of the program
   */
  constructor({ name, labels, place, directory, redisUrl, environment = {}, file }) {
    const inside = (/** @type {string} */ part) => path.join(directory, part);
    for (const one of [directory, inside('home'), inside('state')]) mkdirSync(one);
    const settings = {
      PATH: process.env.PATH,
      HOME: inside('home'),
      LAB_HOME: inside('home'),
      FAKE_LAB_STATE: inside('state'),
      LAB_API_CLI: path.join(root, 'tests/fixtures/programs/fake-netlab'),
      LAB_API_DATA_DIR: inside('data'),
      LAB_API_WORKSPACES_DIR: inside('workspaces'),
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
    super(settings, place, file);
    this.name = name;
    this.labels = labels;
    this.state = inside('state');
    this.dataDir = inside('data');
  }

  /** Its id, which it keeps. */
  get id() {
    return String(JSON.parse(readFileSync(path.join(this.dataDir, 'host.json'), 'utf8')).id);
  }

  /** @override @param {readonly string[]} lines */
  noteErrors(lines) {
    // That Redis is away is what is done to it.
    const own = lines.filter((line) => !line.includes('Redis is away'));
    this.errors.push(...own.map((line) => `${this.name} logged ${line}`));
  }
}

/** Every host sees every other one. @param {readonly Host[]} hosts */
export async function seeEachOther(hosts) {
  for (const host of hosts) {
    const { body } = await host.request('GET', '/hosts');
    const up = body.hosts.filter((/** @type {{ state: string }} */ { state }) => state === 'up');
    if (up.length < hosts.length) return false;
  }
  return true;
}
