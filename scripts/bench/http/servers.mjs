/** Everything that answers in bench http, each as a process of its own. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { endChild } from '../../lib/end-child.mjs';
import { call, endOf } from '../../lib/http.mjs';
import { startNetlabApi } from '../../lib/netlab-api.mjs';
import { atEnd, root, start } from '../kit.mjs';

/** @typedef {{ url: string, pid: number, end: () => Promise<void> }} Server */

/** A child that listens; it ends with the script. @param {import('node:child_process').ChildProcess} child @param {string} url @returns {Server} */
function serverOf(child, url) {
  const end = async () => endChild(child);
  atEnd(end);
  return { url, pid: child.pid ?? 0, end };
}

/** One of bare.mjs. @param {'express' | 'http'} kind @param {number} bytes */
export async function startBare(kind, bytes) {
  const file = path.join(import.meta.dirname, 'bare.mjs');
  const child = spawn(process.execPath, [file, kind, String(bytes)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  return serverOf(child, `http://127.0.0.1:${String(port).trim()}/`);
}

/** Why `netlab api` cannot be measured; undefined when it can. */
export function whyNoNetlab() {
  const { error, status } = spawnSync('netlab', ['api', '--help']);
  if (error) return 'netlab is not on PATH';
  return status === 0 ? undefined : 'this netlab has no "api"';
}

/** Three labs, as netlab reports them. */
const status = Object.fromEntries(
  [1, 2, 3].map((id) => [
    `instance_${id}`,
    {
      dir: `/labs/course/group-${id}`,
      status: 'started',
      log: ['netlab up topology.yml', 'containers started', 'initial configuration complete'],
      providers: {
        clab: { command: 'sudo -E containerlab deploy --reconfigure -t clab.yml', status: 'started' },
      },
      created: `2026-11-20T0${id}:44:09.123456+00:00`,
    },
  ]),
);

export async function startNetlab() {
  const home = path.join(root, 'netlab');
  mkdirSync(path.join(home, '.netlab'), { recursive: true });
  // JSON is YAML.
  writeFileSync(path.join(home, '.netlab', 'status.yaml'), JSON.stringify(status));
  const env = { ...process.env, HOME: home, NETLAB_API_DATA_DIR: home };
  const { child, url } = await startNetlabApi(env, home);
  return serverOf(child, url);
}

/** The lab CLI of this measurement. It costs next to nothing and counts how often it was asked for the status. */
const cli = path.join(root, 'lab-cli');
const runsFile = path.join(root, 'status-runs');
function makeLabCli() {
  if (existsSync(cli)) return;
  const statusFile = path.join(root, 'status.json');
  writeFileSync(statusFile, `${JSON.stringify(status, null, 2)}\n`);
  const words = `case "$1" in status) echo >>'${runsFile}'; cat '${statusFile}';; *) echo "Created something";; esac`;
  writeFileSync(cli, `#!/bin/sh\n${words}\n`, { mode: 0o755 });
}

export const statusRuns = () => (existsSync(runsFile) ? readFileSync(runsFile).length : 0);

let serviceCount = 0;
/** The built service, with a data directory of its own. @param {string} [dist] that of another build than ours @returns {Promise<Server>} */
export async function startOwn(dist) {
  makeLabCli();
  const dataDir = path.join(root, `data-${(serviceCount += 1)}`);
  return start({ LAB_API_CLI: cli, LAB_API_DATA_DIR: dataDir }, { dist });
}

/** Runs that many jobs; gives the id of the last one. @param {string} url @param {number} count */
export async function runJobs(url, count) {
  const workdir = path.join(root, 'lab');
  mkdirSync(workdir, { recursive: true });
  writeFileSync(path.join(workdir, 'topology.yml'), 'nodes: [h1, h2]\n');
  /** @type {string} */
  let id = '';
  for (let number = 0; number < count; number += 1) {
    const job = await call(`${url}/jobs`, { action: 'up', workdir, labels: { team: `t${number}` } });
    await endOf(url, job.id);
    id = job.id;
  }
  return id;
}
