/** Tools of scripts/smoke-docker.mjs: images, containers with the service, the report, and the clean-up. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { done, messageOf, must, say } from '../lib/words.mjs';
import { root } from '../lib/service.mjs';
import { temporaryDirectory } from '../lib/temporary-directory.mjs';
import { tries } from '../lib/wait.mjs';

export const temporary = temporaryDirectory('lab-api-smoke');
/** Begins the name of every container, volume and project that a run makes. */
export const prefix = `lab-api-smoke-${process.pid}`;

const execute = promisify(execFile);
/** @type {[string, string][]} */
const rows = [];
/** @typedef {() => Promise<unknown>} Undo */
/** @type {Set<Undo>} */
const undoings = new Set();
let containers = 0;

/** The arguments of a command line without quotes. @param {string} text */
export const words = (text) => text.split(' ');

/**
 * One line of the table at the end. A number is the moment (`performance.now()`) at which it began.
 * @param {string} what
 * @param {string | number} result
 */
export function row(what, result) {
  const text = typeof result === 'number' ? `${((performance.now() - result) / 1000).toFixed(2)} s` : result;
  done(`${what}: ${text}`);
  rows.push([what, text]);
}

export function printTable() {
  const width = Math.max(...rows.map(([what]) => what.length));
  say('');
  for (const [what, text] of rows) say(`${what.padEnd(width)}  ${text}`);
}

/**
 * The output of the program. @throws Error with its output when it fails.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {import('node:child_process').ExecFileOptions} [options]
 */
export async function run(program, args, options = {}) {
  const { stdout } = await execute(program, args, {
    ...options,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error) => {
    if (error.code === 'ENOENT') throw error;
    throw new Error(`${path.basename(program)} ${args[0]}: ${error.stderr || error.stdout || error.message}`);
  });
  return stdout.trim();
}

export const docker = async (/** @type {string[]} */ ...args) => run('docker', args);

/** The topology of one of the examples. */
export const example = (/** @type {string} */ name) =>
  readFileSync(path.join(root, 'examples', name, 'topology.yml'), 'utf8');

/** Builds an image of the Dockerfile. @param {string} target @param {string} name */
export async function build(target, name) {
  const from = performance.now();
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  // The network of the host: a registry that only this machine can reach is no obstacle.
  const options = ['--network', 'host', '--target', target, '--build-arg', `VERSION=${version}`, '-t', name];
  await docker('build', '-q', ...options, root);
  row(`build of ${target}`, from);
}

/** @param {string} name of an image */
export async function sizeMb(name) {
  // Some builders keep the base to themselves.
  await docker('image', 'inspect', name).catch(() => docker('pull', '-q', name));
  return Number(await docker('image', 'inspect', '-f', '{{.Size}}', name)) / 1e6;
}

/**
 * Has `undo` run at the end, the last one first; the result runs it now. It must not mind that nothing is left to do.
 * @param {Undo} undo
 */
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
    await undo().catch((error) => say(`cleaning up: ${messageOf(error)}`));
}

/** The name of a volume, which is removed at the end. @param {string} name */
export function volume(name) {
  const full = `${prefix}-${name}`;
  atEnd(async () => docker('volume', 'rm', '-f', full));
  return full;
}

/**
 * How a client outside reaches the service; without a port it is asked of Docker.
 * @typedef {{ scheme?: string, basePath?: string, port?: number, curl?: readonly string[] }} ClientOptions
 */

/** A service in a container, as a client outside meets it. */
export class Service {
  /** Removes the container and its nameless volumes. */
  remove;
  /** How long `docker run` took, and how long it was from then on to the first answer. */
  runSeconds = 0;
  readySeconds = 0;
  #url = '';
  #curl;

  /** @param {string} name @param {readonly string[]} curl */
  constructor(name, curl) {
    this.name = name;
    this.#curl = curl;
    this.remove = atEnd(async () => docker('rm', '-f', '-v', name));
  }

  /** @param {ClientOptions} client */
  async #find({ scheme = 'http', basePath = '', port }) {
    const at =
      port === undefined
        ? (await docker('port', this.name, '8090')).replace(/\n[^]*/, '')
        : `127.0.0.1:${port}`;
    // By its name, which is in the certificate.
    this.#url = `${scheme}://${at.replace('127.0.0.1', 'localhost')}${basePath}`;
  }

  /**
   * Starts a container; resolves when the service in it answers.
   * @param {string} image
   * @param {readonly string[]} options
   * @param {ClientOptions} [client]
   */
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

  /** The HTTP status of a request without the password. @param {string} target */
  async statusOf(target) {
    return run('curl', ['-sSk', '-o', '/dev/null', '-w', '%{http_code}', `${this.#url}${target}`]);
  }

  /** @param {string} target @param {string[]} more @returns {Promise<any>} */
  async get(target, ...more) {
    return JSON.parse(await run('curl', ['-sS', ...this.#curl, ...more, `${this.#url}${target}`]));
  }

  /** @param {string} target @param {unknown} body */
  async post(target, body) {
    return this.get(target, '-d', JSON.stringify(body));
  }

  /** The record of the job when it has ended. @param {{ id?: string, error?: string }} job */
  async ended({ id, error }) {
    must(id, error ?? 'there is no job');
    await run('curl', ['-sSN', ...this.#curl, `${this.#url}/jobs/${id}/log?follow=true`]);
    return tries('the job has ended', async () => {
      const job = await this.get(`/jobs/${id}`);
      return job.finishedAt === null ? undefined : job;
    });
  }

  /** Runs a job that must succeed. @param {{ action: string } & Record<string, unknown>} body */
  async job(body) {
    const job = await this.ended(await this.post('/jobs', body));
    must(job.state === 'success', `${body.action} is ${job.state}: ${job.error}`);
    done(`${body.action} succeeded`);
  }

  /** @param {string[]} command */
  async exec(...command) {
    return docker('exec', this.name, ...command);
  }

  /** @param {string} field */
  async inspect(field) {
    return docker('inspect', '-f', `{{${field}}}`, this.name);
  }
}
