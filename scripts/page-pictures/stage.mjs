/** The service that the pictures show: two users, labs on the bundled engine, and a job that failed. */
import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { freeInstance } from '../lib/free-instance.mjs';
import { must } from '../lib/words.mjs';
import { plainEnvironment, program as lab, root, startService } from '../lib/service.mjs';
import { temporaryDirectory } from '../lib/temporary-directory.mjs';

const run = promisify(execFile);
const passwords = { ops: 'ops: a password', eva: 'eva: a password' };
const hour = 3600;

export class Stage {
  #temporary = temporaryDirectory('lab-api-pictures');
  /** @type {NodeJS.ProcessEnv} */
  #environment;
  /** @type {Awaited<ReturnType<typeof startService>> | undefined} */
  #service;
  login = { user: 'ops', password: passwords.ops };
  labs = { spineLeaf: '', triangle: '', twoHosts: '' };
  jobs = { up: '' };

  constructor() {
    const inside = (/** @type {string} */ name) => path.join(this.#temporary, name);
    this.#environment = {
      ...plainEnvironment(),
      LAB_HOME: inside('home'),
      LAB_API_CLI: 'engine',
      LAB_API_DATA_DIR: inside('data'),
      LAB_API_WORKSPACES_DIR: inside('workspaces'),
      LAB_API_TEMPLATES_DIR: path.join(root, 'examples'),
      LAB_API_USERS_FILE: inside('users.yaml'),
    };
  }

  get url() {
    return this.#service?.url ?? '';
  }

  async build() {
    for (const [user, role] of [
      ['ops', 'admin'],
      ['eva', 'operator'],
    ])
      this.#addUser(/** @type {keyof typeof passwords} */ (user), role ?? '');
    this.#service = await startService({ env: this.#environment });
    for (const name of ['spine-leaf', 'triangle', 'ospf', 'two-hosts']) await this.#push(name);
    this.labs.triangle = await this.#start('ops', { workspace: 'triangle', labels: { course: 'routing-1' } });
    this.labs.twoHosts = await this.#start('eva', { workspace: 'two-hosts', ttlSeconds: hour / 2 });
    await this.#job('ops', { action: 'collect', workspace: 'triangle' });
    // The bundled engine has no routing protocols, and says so.
    await this.#job('eva', { action: 'up', workspace: 'ospf' });
    this.labs.spineLeaf = await this.#start('eva', { workspace: 'spine-leaf', ttlSeconds: 2 * hour });
  }

  /** @param {keyof typeof passwords} user @param {string} role */
  #addUser(user, role) {
    const options = {
      env: this.#environment,
      input: `${passwords[user]}\n`,
      encoding: /** @type {const} */ ('utf8'),
    };
    const { status, stderr } = spawnSync(
      process.execPath,
      [lab, 'user', 'add', user, '--role', role],
      options,
    );
    must(status === 0, `there is no user ${user}: ${stderr}`);
  }

  /** @param {string} example */
  async #push(example) {
    await run(process.execPath, [lab, 'push', path.join(root, 'examples', example)], {
      env: {
        ...this.#environment,
        LAB_API_URL: this.url,
        LAB_API_USER: 'eva',
        LAB_API_PASSWORD: passwords.eva,
      },
    });
  }

  /** The job once it has ended. @param {keyof typeof passwords} user @param {Record<string, unknown>} body @returns {Promise<any>} */
  async #job(user, body) {
    const authorization = `Basic ${Buffer.from(`${user}:${passwords[user]}`).toString('base64')}`;
    const ask = async (/** @type {string} */ target, /** @type {RequestInit} */ init = {}) => {
      const reply = await fetch(this.url + target, { ...init, headers: { Authorization: authorization } });
      const answer = /** @type {any} */ (await reply.json());
      must(reply.ok, `${target}: ${answer.error}`);
      return answer;
    };
    const { id } = await ask('/jobs', { method: 'POST', body: JSON.stringify(body) });
    for (;;) {
      const job = await ask(`/jobs/${id}?wait=60`);
      if (job.finishedAt !== null) return job;
    }
  }

  /** The id of the lab that comes up. @param {keyof typeof passwords} user @param {Record<string, unknown>} body */
  async #start(user, body) {
    const id = freeInstance();
    const { state, error, id: job } = await this.#job(user, { action: 'up', multilabId: id, ...body });
    must(state === 'success', `a lab does not come up: ${error}`);
    this.jobs.up = job;
    return String(id);
  }

  async end() {
    for (const instance of Object.values(this.labs).filter((id) => id !== ''))
      spawnSync(process.execPath, [lab, 'down', '--cleanup', '--force', '--instance', instance], {
        cwd: this.#temporary,
        env: this.#environment,
      });
    await this.#service?.end();
  }
}
