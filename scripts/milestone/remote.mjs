/**
 * A lab from another machine: only HTTP, from a directory that the service knows nothing of. A client brings a course, starts
 * it under a free id and a lease, looks at it, reaches into its nodes, checks it, takes the results home, and lets the lease end.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { done, must } from '../lib/words.mjs';
import { root as repository } from '../lib/service.mjs';
import { tries } from '../lib/wait.mjs';
import {
  call,
  dataDir,
  endOf,
  inNamespaces,
  labMayBeUp,
  prepare,
  root,
  start,
  succeed,
  url,
} from './stage.mjs';

const execute = promisify(execFile);
/** Where the client works; the service never hears of it. */
const home = path.join(root, 'client');

/**
 * The differences between the lab CLIs: the lab to start, the command for a node, and the packets to capture meanwhile.
 * @typedef {object} Course
 * @property {string} example
 * @property {string} node
 * @property {string[]} command
 * @property {RegExp} answer
 * @property {string} ifname
 * @property {string} filter
 * @property {string[] | undefined} traffic
 * @property {boolean} restarts Whether single nodes can be restarted.
 * @property {Record<string, string>} env
 */

/** @type {Course} */
const ospf = {
  example: 'ospf',
  node: 'r1',
  command: ['vtysh', '-c', 'show ip ospf neighbor json'],
  answer: /"Full|"nbrState"/,
  ifname: 'eth2',
  filter: 'ip proto 89',
  traffic: undefined,
  restarts: true,
  env: {},
};

/** @type {Readonly<Record<'netlab' | 'namespaces' | 'engine', Course>>} */
const courses = {
  netlab: ospf,
  namespaces: { ...ospf, env: inNamespaces() },
  engine: {
    example: 'triangle',
    node: 'h1',
    command: ['ping', '-c', '1', 'h2'],
    answer: / 0% packet loss/,
    ifname: 'eth1',
    filter: 'icmp',
    traffic: ['ping', '-c', '20', '-i', '0.2', 'h2'],
    restarts: false,
    env: { LAB_API_CLI: 'engine', LAB_HOME: path.join(root, 'engine') },
  },
};

/** @param {string} method @param {string} target @param {RequestInit} [init] */
async function send(method, target, init = {}) {
  const reply = await fetch(`${url()}${target}`, { method, ...init });
  must(reply.ok, `${method} ${target} answered ${reply.status}: ${reply.ok ? '' : await reply.text()}`);
  return reply;
}

/** @param {Course} course */
async function bringFiles({ example }) {
  cpSync(path.join(repository, 'examples', example), path.join(home, 'lab'), { recursive: true });
  const archive = path.join(home, 'lab.tar.gz');
  await execute('tar', ['-czf', archive, '-C', path.join(home, 'lab'), '.']);
  const headers = { 'Content-Type': 'application/gzip' };
  await send('PUT', '/workspaces/course', { headers, body: readFileSync(archive) });
  done('the workspace has the files of the course');
}

/** @param {string} lab @param {Course} course */
async function look(lab, { node }) {
  const { nodes, links } = await call(`/labs/${lab}/topology`);
  must(
    nodes.some((/** @type {{ name: string }} */ { name }) => name === node),
    `${node} is not in the topology`,
  );
  const svg = await (await send('GET', `/labs/${lab}/topology.svg`)).text();
  must(svg.includes('<svg') && svg.includes(node), 'the picture does not show the lab');
  done(`the topology has ${nodes.length} nodes and ${links.length} links, and a picture`);
}

/** @param {string} lab @param {Course} course */
async function reachIn(lab, { node, command, answer, ifname, filter, traffic }) {
  const exec = async (/** @type {string[]} */ words) =>
    call(`/labs/${lab}/nodes/${node}/exec`, { command: words });
  await tries(
    `${node} answers ${command.join(' ')}`,
    async () => answer.test((await exec(command)).output),
    90,
  );
  done(`${node} answers "${command.join(' ')}"`);
  const packets = send(
    'GET',
    `/labs/${lab}/nodes/${node}/interfaces/${ifname}/capture?packets=10&filter=${encodeURIComponent(filter)}`,
  );
  const [reply] = await Promise.all([
    packets.then(async (got) => got.arrayBuffer()),
    traffic && exec(traffic),
  ]);
  const file = path.join(home, 'packets.pcap');
  writeFileSync(file, Buffer.from(reply));
  const { stdout } = await execute('tcpdump', ['-nn', '-r', file]);
  const lines = stdout.trim().split('\n');
  must(lines.length === 10, `tcpdump -r reads ${lines.length} packets`);
  done(`10 packets caught; the first: ${lines[0]}`);
}

/** A person at a terminal. @param {string} lab @param {Course} course */
async function typeIn(lab, { node, command, answer }) {
  const socket = new WebSocket(`${url().replace('http', 'ws')}/labs/${lab}/nodes/${node}/terminal`);
  const lines = command.map((word) => (word.includes(' ') ? `'${word}'` : word)).join(' ');
  let screen = '';
  await new Promise((resolve, reject) => {
    socket.on('open', () => socket.send(Buffer.from(`${lines}\nexit\n`)));
    socket.on('message', (/** @type {Buffer} */ data, /** @type {boolean} */ isBinary) => {
      if (isBinary) screen += data.toString('utf8');
    });
    socket.on('close', resolve);
    socket.on('error', reject);
  });
  must(answer.test(screen), `the terminal shows something else: ${screen}`);
  done(`a terminal in ${node} shows the same`);
}

/** @param {string} lab */
async function check(lab) {
  const { id, result } = await succeed({ action: 'validate', instance: lab });
  must(result?.passed > 0 && result.failed === 0, `validate says ${JSON.stringify(result)}`);
  const junit = await (await send('GET', `/jobs/${id}/artifacts/junit.xml`)).text();
  must(junit.includes('<testsuite'), 'junit.xml is no report');
  done(`validate: ${result.passed} passed, and junit.xml tells`);
}

/** @param {string} lab */
async function becomeReady(lab) {
  const { ready, nodes } = await call(`/labs/${lab}?wait=ready&timeout=120`);
  must(ready === true, `the lab is not ready: ${JSON.stringify(nodes)}`);
  done('all nodes are ready');
}

/** @param {string} lab @param {Course} course */
async function restartNode(lab, { restarts, node }) {
  if (!restarts) return;
  const sinceOf = async () => {
    const { nodes } = await call(`/labs/${lab}`);
    return nodes.find((/** @type {{ name: string }} */ { name }) => name === node).since;
  };
  const before = await sinceOf();
  await succeed({ action: 'restart-nodes', instance: lab, nodes: [node] });
  const after = await sinceOf();
  await becomeReady(lab);
  must(after > before, `${node} was started at ${before}, and after its restart at ${after}`);
  await check(lab);
  done(`${node} was restarted, and the tests pass again`);
}

/** @param {string} lab */
async function takeHome(lab) {
  const { id } = await succeed({ action: 'collect', instance: lab });
  const archive = path.join(home, 'results.tar.gz');
  const reply = await send('GET', `/jobs/${id}/artifacts?format=tar.gz`);
  writeFileSync(archive, Buffer.from(await reply.arrayBuffer()));
  const { stdout } = await execute('tar', ['-tzf', archive]);
  must(stdout.includes('config/'), `the archive has no configurations: ${stdout}`);
  done(`the results are here: ${stdout.trim().split('\n').length} files`);
}

/** @param {string} lab */
async function letLeaseEnd(lab) {
  const body = JSON.stringify({ ttlSeconds: 1 });
  await send('PATCH', `/labs/${lab}`, { headers: { 'Content-Type': 'application/json' }, body });
  await tries('the lab is gone', async () => (await fetch(`${url()}/labs/${lab}`)).status === 404, 120);
  const { jobs } = await call(`/jobs?action=down&instance=${lab}`);
  const last = await endOf(jobs[0].id);
  must(last.state === 'success', `the down of the lease is ${last.state}: ${last.error}`);
  done('the lease ended, and the lab is gone');
}

/** Whether a lab in namespaces has a record. @param {string} name */
const hasRecord = (name) => existsSync(`/run/lab-engine/clab.${name}`);

/** @param {keyof typeof courses} kind */
export async function remoteRound(kind) {
  const course = courses[kind];
  mkdirSync(home);
  prepare(course.env);
  await start();
  await bringFiles(course);
  labMayBeUp({ workspace: 'course' });
  const up = await succeed({ action: 'up', workspace: 'course', multilabId: 'auto', ttlSeconds: 3600 });
  const lab = up.instance;
  labMayBeUp({ instance: lab });
  const { expiresAt, workspace, name } = await call(`/labs/${lab}`);
  must(expiresAt !== null && workspace === 'course', `lab ${lab} tells ${expiresAt}, ${workspace}`);
  await look(lab, course);
  await reachIn(lab, course);
  // The records of an ordinary user's labs are in the user namespace.
  if (kind === 'namespaces' && process.getuid?.() === 0)
    must(hasRecord(name), 'the lab does not run in namespaces');
  await typeIn(lab, course);
  await check(lab);
  await restartNode(lab, course);
  await takeHome(lab);
  await letLeaseEnd(lab);
  must(!existsSync(path.join(dataDir, 'workspaces', 'course', 'netlab.lock')), 'netlab.lock is left');
  must(!hasRecord(name), 'the record of the lab is left');
  labMayBeUp(undefined);
}
