/** The other side: a request for everything, which lasts as long as its work does. */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { endChild, endWithScript } from '../lib/end-child.mjs';
import { freePort } from '../lib/free-port.mjs';
import { messageOf, must } from '../lib/words.mjs';
import { tries } from '../lib/wait.mjs';
import { atRest, halfUp, patienceSeconds, running, topologyOf } from './labs.mjs';
import { containerlabVersion, quoted, rateOf } from './sides.mjs';

/** @param {string} program @param {string[]} args @param {string} [input] */
function run(program, args, input = '') {
  const { status, error, stderr } = spawnSync(program, args, { input, encoding: 'utf8' });
  must(status === 0, `${program} failed: ${error?.message ?? stderr.trim()}`);
}

/**
 * A user of this machine with a random password, and a group of the same name: clab-api-server logs Linux users in.
 * It goes when the script ends.
 * @param {string} home a directory that does not exist yet
 */
function throwAwayUser(home) {
  must(process.getuid?.() === 0, 'only root can make the Linux user that logs in to clab-api-server');
  const name = `cmp-${process.pid}`;
  const password = randomBytes(24).toString('hex');
  run('useradd', ['--create-home', '--home-dir', home, '--user-group', '--shell', '/usr/sbin/nologin', name]);
  process.on('exit', () => void spawnSync('userdel', [name]));
  // On standard input: other users can read arguments.
  run('chpasswd', [], `${name}:${password}`);
  return { name, password };
}

/** @typedef {import('./sides.mjs').Lab} Lab */
/** @typedef {{ status: number, text: string }} Reply status 0: there was none, and `text` says why */

/**
 * @typedef {object} Means
 * @property {string} file
 * @property {string | undefined} containerlab
 * @property {string} directory
 * @property {{ name: string, password: string }} [user] who logs in, with a group of that name
 */

/** The sentence of an error, else all of it. @param {Reply} reply */
function sentenceOf({ text }) {
  try {
    return JSON.parse(text).error ?? text;
  } catch {
    return text;
  }
}

/** @param {Reply} reply */
const told = (reply) =>
  reply.status === 200 ? '200' : `${reply.status}; \`error\`: ${quoted(sentenceOf(reply))}`;

/** The process. It listens on all addresses of the machine and has no setting for that, so its user has a random password. */
export class Server {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  #token = '';
  #file;
  #directory;
  #log;
  #user;
  #environment;
  url = '';

  /** @param {Means} means */
  constructor({ file, containerlab, directory, user }) {
    this.#file = path.resolve(file);
    this.#directory = directory;
    this.#log = path.join(directory, 'clab-api-server.log');
    this.#user = user ?? throwAwayUser(path.join(directory, 'home'));
    const own = containerlab === undefined ? [] : [path.dirname(path.resolve(containerlab))];
    this.#environment = {
      PATH: [...own, process.env.PATH].join(path.delimiter),
      HOME: directory,
      GIN_MODE: 'release',
      LOG_LEVEL: 'info',
      TRUSTED_PROXIES: 'nil',
      JWT_SECRET: randomBytes(24).toString('hex'),
      // As the only user there is: containerlab refuses to note another owner than its own user.
      API_USER_GROUP: this.#user.name,
      SUPERUSER_GROUP: this.#user.name,
    };
    // It insists on a file of settings, and on this name.
    writeFileSync(path.join(directory, '.env'), '');
  }

  version() {
    const { stdout } = spawnSync(this.#file, ['-version'], { encoding: 'utf8' });
    return /version:\s*v?(\S+)/.exec(stdout)?.[1] ?? 'unknown';
  }

  /** The versions of the server and of its containerlab. */
  versions() {
    return `clab-api-server ${this.version()} (containerlab ${containerlabVersion(this.#environment)})`;
  }

  get pid() {
    return this.#child?.pid ?? 0;
  }

  /** Starts the process; it answers later. */
  async launch() {
    const port = await freePort();
    const output = openSync(this.#log, 'a');
    const child = spawn(this.#file, ['-env-file', path.join(this.#directory, '.env')], {
      env: { ...this.#environment, API_PORT: String(port) },
      cwd: this.#directory,
      stdio: ['ignore', output, output],
      detached: true,
    });
    child.once('error', () => undefined);
    endWithScript(child);
    this.#child = child;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Resolves when it lets its user in. */
  async start() {
    await this.launch();
    const isServing = async () => {
      const { name: username, password } = this.#user;
      const reply = await this.request('POST', '/login', { username, password });
      must(reply.status === 200, `it refuses to log ${username} in: ${sentenceOf(reply)}`);
      this.#token = JSON.parse(reply.text).token;
      // A token of the second in which the server has started is taken for one of its last life.
      return (await this.request('GET', '/api/v1/ssh/sessions')).status === 200;
    };
    await tries('clab-api-server answers', isServing).catch((error) => {
      throw new Error(`${messageOf(error)}\n${readFileSync(this.#log, 'utf8').slice(-2000)}`);
    });
  }

  async kill() {
    await endChild(this.#child, 'SIGKILL');
  }

  headers = () => ({ Authorization: `Bearer ${this.#token}` });

  /** @param {string} method @param {string} target @param {unknown} [body] @param {AbortSignal} [signal] @returns {Promise<Reply>} */
  async request(method, target, body, signal = AbortSignal.timeout(patienceSeconds * 1000)) {
    try {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const headers = { ...this.headers(), 'Content-Type': 'application/json' };
      const reply = await fetch(`${this.url}${target}`, { method, headers, signal, ...sent });
      return { status: reply.status, text: await reply.text() };
    } catch (error) {
      return { status: 0, text: messageOf(error) };
    }
  }
}

class ClabApiServer {
  #server;

  /** @param {Means} means */
  constructor(means) {
    this.#server = new Server(means);
  }

  async start() {
    await this.#server.start();
    return this.#server.versions();
  }

  end = async () => this.#server.kill();

  /** @param {Lab & { isBroken?: boolean }} lab @param {AbortSignal} [signal] */
  async #deploy(lab, signal) {
    return this.#server.request('POST', '/api/v1/labs', { topologyContent: topologyOf(lab) }, signal);
  }

  /** The rest of a lab once no process works on it, and the answer to the same deploy. @param {Lab} lab */
  async #leftOf(lab) {
    await atRest(lab.name);
    const left = await running(lab.name);
    return `${left}; the same deploy once more: ${told(await this.#deploy(lab))}`;
  }

  /** @param {Lab} lab */
  async killed(lab) {
    const reply = this.#deploy(lab);
    await halfUp(lab.name);
    await this.#server.kill();
    const { status } = await reply;
    await this.#server.start();
    return `the request gets ${status === 0 ? 'no reply' : status}; ${await this.#leftOf(lab)}`;
  }

  /** @param {Lab} lab */
  async clientGone(lab) {
    const leaving = new AbortController();
    const reply = this.#deploy(lab, leaving.signal);
    await halfUp(lab.name);
    leaving.abort();
    await reply;
    return this.#leftOf(lab);
  }

  /** @param {Lab} lab */
  async twice(lab) {
    const replies = await Promise.all([this.#deploy(lab), this.#deploy(lab)]);
    await atRest(lab.name);
    return `${replies.map(told).toSorted().join(', ')}; ${await running(lab.name)}`;
  }

  /** @param {Lab} lab */
  async broken(lab) {
    return told(await this.#deploy({ ...lab, isBroken: true }));
  }

  /** @param {Lab} lab */
  async list(lab) {
    const reply = await this.#deploy(lab);
    if (reply.status !== 200) return `not measured: the deploy is answered ${told(reply)}`;
    return `${await rateOf(`${this.#server.url}/api/v1/labs`, this.#server.headers())} requests a second`;
  }
}

/** @param {Means} means @returns {import('./sides.mjs').Side} */
export function clabApiServer(means) {
  const server = new ClabApiServer(means);
  return {
    word: 'peer',
    start: async () => server.start(),
    end: async () => server.end(),
    answer: async (question, lab) => server[question](lab),
  };
}
