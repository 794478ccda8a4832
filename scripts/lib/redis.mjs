// A Redis of the script's own, which keeps its data on disk.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import { endChild } from './end-child.mjs';
import { tries } from './wait.mjs';

/** Where a server listens, and the program with its arguments that becomes the server, such as `ip netns exec NAME`. @typedef {{ bind: string, port: number, within: readonly string[] }} Place */

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

  /** Resolves when it takes requests. */
  async answers() {
    await tries('Redis answers', async () => {
      if (this.client.status === 'wait') await this.client.connect();
      return (await this.client.ping()) === 'PONG';
    });
  }

  async kill() {
    await endChild(this.#child, 'SIGKILL');
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
