/** What scripts/smoke-docker.mjs is made of: images, containers with the service in them, what is reported, what is undone. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

export const root = path.resolve(import.meta.dirname, '../..');
export const temporary = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'lab-api-smoke-')));
/** Begins the name of every container, volume and project that a run makes. */
export const prefix = `lab-api-smoke-${process.pid}`;

const execute = promisify(execFile);
const rows = [];
const undoings = new Set();
let containers = 0;

/** The arguments of a command line without quotes. */
export const words = (text) => text.split(' ');

const say = (text) => process.stdout.write(`${text}\n`);
export const step = (text) => say(`\u2713 ${text}`);

/** One line of the table at the end. A number is the moment (`performance.now()`) at which it began. */
export function row(what, result) {
  const text = typeof result === 'number' ? `${((performance.now() - result) / 1000).toFixed(2)} s` : result;
  step(`${what}: ${text}`);
  rows.push([what, text]);
}

export function printTable() {
  const width = Math.max(...rows.map(([what]) => what.length));
  say('');
  for (const [what, text] of rows) say(`${what.padEnd(width)}  ${text}`);
}

export function must(condition, text) {
  if (!condition) throw new Error(text);
}

/** What the program prints. @throws Error with what it said when it fails. */
export async function run(program, args, options = {}) {
  const { stdout } = await execute(program, args, { ...options, maxBuffer: 64 * 1024 * 1024 }).catch(
    (error) => {
      if (error.code === 'ENOENT') throw error;
      throw new Error(
        `${path.basename(program)} ${args[0]}: ${error.stderr || error.stdout || error.message}`,
      );
    },
  );
  return stdout.trim();
}

export const docker = async (...args) => run('docker', args);

/** The topology of one of the examples. */
export const example = (name) => readFileSync(path.join(root, 'examples', name, 'topology.yml'), 'utf8');

/** Builds an image of the Dockerfile. */
export async function build(target, name) {
  const from = performance.now();
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  // The network of the host: a registry that only this machine can reach is no obstacle.
  const options = ['--network', 'host', '--target', target, '--build-arg', `VERSION=${version}`, '-t', name];
  await docker('build', '-q', ...options, root);
  row(`build of ${target}`, from);
}

export async function sizeMb(name) {
  // Some builders keep the base to themselves.
  await docker('image', 'inspect', name).catch(() => docker('pull', '-q', name));
  return Number(await docker('image', 'inspect', '-f', '{{.Size}}', name)) / 1e6;
}

/** Waits until `look` gives something true and does not fail. */
export async function tries(what, look, seconds = 30) {
  const deadline = performance.now() + seconds * 1000;
  let last = '';
  while (performance.now() < deadline) {
    try {
      const seen = await look();
      if (seen) return seen;
    } catch (error) {
      last = `: ${error.message}`;
    }
    await delay(20);
  }
  throw new Error(`not within ${seconds} seconds: ${what}${last}`);
}

/** Has `undo` run at the end, the last one first; the result runs it now. It must not mind that nothing is left to do. */
export function atEnd(undo) {
  undoings.add(undo);
  return async () => {
    await undo();
    undoings.delete(undo);
  };
}

/** Leaves the machine as it was, whatever happened. */
export async function cleanUp() {
  for (const undo of [...undoings].toReversed())
    await undo().catch((error) => say(`cleaning up: ${error.message}`));
  rmSync(temporary, { recursive: true, force: true });
}

/** A port of 127.0.0.1 that nobody had a moment ago. */
export async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** The name of a volume, which is removed at the end. */
export function volume(name) {
  const full = `${prefix}-${name}`;
  atEnd(async () => docker('volume', 'rm', '-f', full));
  return full;
}

/** A service in a container, as a client outside meets it. */
export class Service {
  /** Removes the container and its nameless volumes. */
  remove;
  /** How long `docker run` took, and how long it was from then on to the first answer. */
  runSeconds = 0;
  readySeconds = 0;
  #url = '';
  #curl;

  constructor(name, curl) {
    this.name = name;
    this.#curl = curl;
    this.remove = atEnd(async () => docker('rm', '-f', '-v', name));
  }

  async #find({ scheme = 'http', basePath = '', port }) {
    const at =
      port === undefined ? (await docker('port', this.name, '8090')).split('\n')[0] : `127.0.0.1:${port}`;
    // By its name, which is in the certificate.
    this.#url = `${scheme}://${at.replace('127.0.0.1', 'localhost')}${basePath}`;
  }

  /** Starts a container; resolves when the service in it answers. */
  static async start(image, options, client = {}) {
    const service = new Service(`${prefix}-${(containers += 1)}`, client.curl ?? []);
    const from = performance.now();
    await docker('run', '-d', '--name', service.name, ...options, image);
    service.runSeconds = (performance.now() - from) / 1000;
    await service.#find(client);
    await tries('the service answers', async () => service.get('/healthz')).catch(async (error) => {
      throw new Error(`${error.message}\n${await docker('logs', service.name)}`);
    });
    service.readySeconds = (performance.now() - from) / 1000 - service.runSeconds;
    return service;
  }

  /** The HTTP status of a request without the password. */
  async statusOf(target) {
    return run('curl', ['-sSk', '-o', '/dev/null', '-w', '%{http_code}', `${this.#url}${target}`]);
  }

  async get(target, ...more) {
    return JSON.parse(await run('curl', ['-sS', ...this.#curl, ...more, `${this.#url}${target}`]));
  }

  async post(target, body) {
    return this.get(target, '-d', JSON.stringify(body));
  }

  /** The record of the job when it has ended. */
  async ended({ id, error }) {
    must(id, error);
    await run('curl', ['-sSN', ...this.#curl, `${this.#url}/jobs/${id}/log?follow=true`]);
    return tries('the job has ended', async () => {
      const job = await this.get(`/jobs/${id}`);
      return job.finishedAt === null ? undefined : job;
    });
  }

  /** Runs a job that must succeed. */
  async job(body) {
    const job = await this.ended(await this.post('/jobs', body));
    must(job.state === 'success', `${body.action} is ${job.state}: ${job.error}`);
    step(`${body.action} succeeded`);
  }

  async exec(...command) {
    return docker('exec', this.name, ...command);
  }

  async inspect(field) {
    return docker('inspect', '-f', `{{${field}}}`, this.name);
  }
}
