/** The servers that scripts/compare.mjs measures. Each keeps its files in a directory of its own, and has no TLS. */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { endChild, endWithScript } from '../lib/end-child.mjs';
import { freePort } from '../lib/free-port.mjs';
import { startNetlabApi } from '../lib/netlab-api.mjs';
import { plainEnvironment, startService } from '../lib/service.mjs';
import { tries } from '../lib/wait.mjs';
import { must } from '../lib/words.mjs';
import { Server as ClabApiServer } from '../compare-clab-api/clab-api-server.mjs';
import { bytesOfOwnPackage, bytesOfPythonPackage } from './installed.mjs';

/**
 * @typedef {object} Running
 * @property {string} url
 * @property {number} pid
 * @property {() => Promise<void>} end
 *
 * @typedef {object} Peer
 * @property {string} name with its version
 * @property {string} [list] the path of its list of labs, if that can be measured
 * @property {() => number} bytes what is installed
 * @property {() => Promise<Running>} start resolves when it has answered a request, always with the same files
 * @property {(url: string) => Promise<Record<string, string>>} [prepare] makes its labs if it has none; gives the headers with
 *   which it lets its user in
 */

/** @param {string} program @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
const versionOf = (program, args, env = process.env) => {
  const { stdout, error } = spawnSync(program, args, { encoding: 'utf8', env });
  must(error === undefined, `${program} cannot be started: ${error?.message}`);
  return /\d+\.\d[\w.]*/.exec(stdout)?.[0] ?? 'unknown';
};

/** @param {string} url */
const isFine = async (url) => {
  const reply = await fetch(url);
  await reply.arrayBuffer();
  return reply.ok;
};

/** How many labs the lists have. They do not run. */
const labCount = 3;

/** Has netlab believe that labs run. @param {string} home */
function pretendLabs(home) {
  /** @param {number} id */
  const labOf = (id) => {
    const dir = path.join(home, `lab-${id}`);
    mkdirSync(dir);
    const command = 'sudo -E containerlab deploy --reconfigure -t clab.yml';
    return {
      dir,
      status: 'started',
      log: ['containers started'],
      providers: { clab: { command, status: 'started' } },
    };
  };
  const ids = Array.from({ length: labCount }, (_, index) => index + 1);
  mkdirSync(path.join(home, '.netlab'));
  // JSON is YAML.
  const status = Object.fromEntries(ids.map((id) => [`instance_${id}`, labOf(id)]));
  writeFileSync(path.join(home, '.netlab', 'status.yaml'), JSON.stringify(status));
}

/** @param {string} directory @param {string} version @returns {Peer} */
export function labApi(directory, version) {
  pretendLabs(directory);
  const env = {
    ...plainEnvironment(),
    HOME: directory,
    LAB_HOME: path.join(directory, 'labs'),
    LAB_API_CLI: 'netlab',
    LAB_API_DATA_DIR: path.join(directory, 'data'),
  };
  return {
    name: `lab-api ${version}`,
    list: '/status',
    bytes: bytesOfOwnPackage,
    start: async () => {
      const { child, url, end } = await startService({ env });
      must(await isFine(`${url}/healthz`), 'lab-api is not healthy');
      return { url, pid: child.pid ?? 0, end };
    },
  };
}

/** @param {string} directory @param {string} file the program `netlab` @returns {Peer} */
export function netlabApi(directory, file) {
  pretendLabs(directory);
  const env = { ...process.env, HOME: directory, NETLAB_API_DATA_DIR: path.join(directory, 'data') };
  return {
    name: `\`netlab api\` ${versionOf(file, ['version'], env)}`,
    list: '/status',
    bytes: () => bytesOfPythonPackage(file, 'networklab'),
    start: async () => {
      const { child, url } = await startNetlabApi(env, directory);
      return { url, pid: child.pid ?? 0, end: async () => endChild(child) };
    },
  };
}

/** Its list needs Docker: scripts/compare-clab-api.mjs measures that. @param {string} directory @param {string} file @returns {Peer} */
export function clabApiServer(directory, file) {
  const server = new ClabApiServer({
    file,
    containerlab: undefined,
    directory,
    // There is no such group, so the server lets no user of this machine in.
    user: { name: 'lab-api-compare-nobody', password: '' },
  });
  return {
    name: `clab-api-server ${server.version()}`,
    bytes: () => statSync(file).size,
    start: async () => {
      await server.launch();
      const { url, pid } = server;
      await tries('clab-api-server answers', async () => isFine(`${url}/health`));
      return { url, pid, end: async () => server.kill() };
    },
  };
}

/** @param {string} directory @param {string} file the program `gns3server` @returns {Peer} */
export function gns3server(directory, file) {
  const config = path.join(directory, 'gns3_server.conf');
  const password = randomBytes(24).toString('hex');
  const sections = [
    '[Server]',
    'report_errors = False',
    '[Controller]',
    `default_admin_password = ${password}`,
  ];
  writeFileSync(config, `${sections.join('\n')}\n`, { mode: 0o600 });
  const places = { XDG_CONFIG_HOME: directory, XDG_DATA_HOME: directory, XDG_CACHE_HOME: directory };
  const env = { ...process.env, HOME: directory, ...places };
  return {
    name: `gns3server ${versionOf(file, ['--version'], env)}`,
    list: '/v3/projects',
    prepare: async (url) => prepareGns3(url, password),
    bytes: () => bytesOfPythonPackage(file, 'gns3-server'),
    start: async () => {
      const port = await freePort();
      const args = ['--host', '127.0.0.1', '--port', String(port), '--config', config];
      const child = spawn(file, args, { env, cwd: directory, stdio: 'ignore', detached: true });
      endWithScript(child);
      const end = async () => endChild(child);
      const url = `http://127.0.0.1:${port}`;
      await tries('gns3server answers', async () => isFine(`${url}/v3/version`), 120).catch(async (error) => {
        await end();
        throw error;
      });
      return { url, pid: child.pid ?? 0, end };
    },
  };
}

/** @param {string} url @param {unknown} body @param {Record<string, string>} [headers] */
async function post(url, body, headers = {}) {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  must(reply.ok, `${url} is answered ${reply.status}`);
  return JSON.parse(await reply.text());
}

/** Logs its first user in, and makes projects. @param {string} url @param {string} password */
async function prepareGns3(url, password) {
  const user = { username: 'admin', password };
  const { access_token: token } = await post(`${url}/v3/access/users/authenticate`, user);
  const headers = { Authorization: `Bearer ${token}` };
  for (let id = 1; id <= labCount; id += 1) await post(`${url}/v3/projects`, { name: `lab-${id}` }, headers);
  return headers;
}

/** A directory in another. @param {string} parent @param {string} name */
export function directoryIn(parent, name) {
  const directory = path.join(parent, name);
  mkdirSync(directory);
  return directory;
}
