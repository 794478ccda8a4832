#!/usr/bin/env node
// Asks lab-api and `netlab api` the same, with the same requests, on the same netlab, and prints what each does as a table: the
// service is killed in the middle of an `up`; a client goes away; two labs are started at once; a topology is wrong.
//   npm run build && scripts/compare-netlab-api.mjs                  needs netlab, containerlab and Docker on this machine
//     --namespaces      the labs of both run in namespaces (docs/runtime.md): as root, without containerlab and Docker
//     --instance 150    starts labs 150 and 151; default: 190 and 191
//     --record          puts the table into docs/comparison.md
// netlab gets a home directory of its own, so it knows no other lab. Takes its labs down at the end.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { endChild } from './lib/end-child.mjs';
import { startNetlabApi } from './lib/netlab-api.mjs';
import { restartableService } from './lib/restartable-service.mjs';
import { interrupted, messageOf, must, say } from './lib/words.mjs';
import { call } from './lib/http.mjs';
import { netlabEnvironment } from './lib/netlab-runs.mjs';
import { readOptions } from './lib/options.mjs';
import { record } from './lib/recorded-part.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';
import { tries } from './lib/wait.mjs';

/**
 * @typedef {object} Server a service that can be killed and started again
 * @property {string} word a name for its files
 * @property {() => string} url where it listens, once it was started
 * @property {() => Promise<void>} start resolves when it answers
 * @property {() => Promise<void>} kill SIGKILL to the service alone
 */

/** @param {string} directory where it keeps its files @returns {Server} */
const labApi = (directory) => ({
  word: 'lab-api',
  ...restartableService(directory, { LAB_API_CLI: 'netlab', LAB_API_RUNTIME: runtime }),
});

/** @param {string} directory where it keeps its files @returns {Server} */
function netlabApi(directory) {
  const env = { ...process.env, NETLAB_API_DATA_DIR: path.join(directory, 'netlab-api') };
  /** @type {Awaited<ReturnType<typeof startNetlabApi>> | undefined} */
  let server;
  return {
    word: 'netlab-api',
    url: () => server?.url ?? '',
    start: async () => {
      server = await startNetlabApi(env, directory);
    },
    kill: async () => endChild(server?.child, 'SIGKILL'),
  };
}

const options = readOptions({
  instance: { type: 'string', default: '190' },
  namespaces: { type: 'boolean', default: false },
  record: { type: 'boolean', default: false },
});
const { instance } = options;
const runtime = options.namespaces ? 'namespaces' : 'containers';
const ids = [Number(instance), Number(instance) + 1];
const temporary = temporaryDirectory('lab-api-compare');
Object.assign(process.env, netlabEnvironment(temporary, runtime));
/** @type {Server[]} */
const servers = [];
/** @type {string[]} */
const workdirs = [];
/** A job that has not ended after that never ends. */
const patienceSeconds = 180;

/** A directory with two hosts, or with what netlab refuses. @param {string} name @param {number} [id] */
function workdirWith(name, id = ids[0], device = 'linux') {
  const directory = path.join(temporary, name);
  mkdirSync(directory);
  const lines = [
    'name: compare',
    'provider: clab',
    'plugin: [multilab]',
    `defaults.multilab.id: ${id}`,
    `defaults.device: ${device}`,
    'nodes: [h1, h2]',
    'links: [h1-h2]',
  ];
  writeFileSync(path.join(directory, 'topology.yml'), `${lines.join('\n')}\n`);
  workdirs.push(directory);
  return directory;
}

/** @param {string} program @param {string[]} args */
const printed = (program, ...args) => spawnSync(program, args, { encoding: 'utf8' }).stdout;
const nodes = (id = ids[0]) =>
  printed('docker', 'ps', '--format', '{{.Names}}')
    .split('\n')
    .filter((name) => name.startsWith(`clab-ml-${id}-`)).length;

function takeDown() {
  for (const cwd of workdirs.splice(0)) spawnSync('netlab', ['down', '--cleanup', '--force'], { cwd });
}

/** Its plan is written: now the nodes are being started. @param {string} workdir */
const isHalfUp = (workdir) => existsSync(path.join(workdir, 'netlab.snapshot.pickle'));
const halfUp = async (/** @type {string} */ workdir) =>
  tries('the lab is half up', () => Promise.resolve(isHalfUp(workdir)));

/** Resolves when no process works in the directory any more. @param {string} workdir */
async function atRest(workdir) {
  const isThere = (/** @type {string} */ pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === workdir;
    } catch {
      return false;
    }
  };
  const none = async () => Promise.resolve(!readdirSync('/proc').some(isThere));
  await tries('nothing works on the lab any more', none, patienceSeconds);
}

/** @param {Server} server @param {string} workdir */
const up = async (server, workdir) =>
  call(`${server.url()}/jobs`, { action: 'up', workdir, topologyPath: 'topology.yml' });

/** The job once it has ended, or as it is when it does not. @param {Server} server @param {string} id */
async function ended(server, id) {
  const seen = async () => call(`${server.url()}/jobs/${id}`);
  const isOver = async () => {
    const job = await seen();
    return job.finishedAt !== null && job;
  };
  return tries('the job ends', isOver, patienceSeconds).catch(seen);
}

/** @param {Server} server @param {string} id @returns {Promise<string>} */
const logOf = async (server, id) => (await call(`${server.url()}/jobs/${id}/log`)).log;

/** @param {Server} server */
async function killed(server) {
  const workdir = workdirWith(`killed-${server.word}`);
  const { id } = await up(server, workdir);
  await halfUp(workdir);
  await server.kill();
  await server.start();
  const reply = await fetch(`${server.url()}/jobs/${id}`);
  if (reply.status === 404) {
    // The programs that the old one had started go on for a while.
    await atRest(workdir);
    return `the new service does not know the job (404); of 2 nodes, ${nodes()} run`;
  }
  const { state } = await ended(server, id);
  const { length } = await logOf(server, id);
  return `the job goes on to \`${state}\`; its log is whole (${length} bytes); of 2 nodes, ${nodes()} run`;
}

/** @param {Server} server */
async function clientGone(server) {
  const workdir = workdirWith(`gone-${server.word}`);
  const { id } = await up(server, workdir);
  await halfUp(workdir);
  const leaving = new AbortController();
  const log = await fetch(`${server.url()}/jobs/${id}/log?follow=true`, { signal: leaving.signal });
  const first = await log.body?.getReader().read();
  leaving.abort();
  const text = new TextDecoder().decode(first?.value);
  const seen = text.startsWith('{') ? JSON.parse(text).log.length : text.length;
  const { state } = await ended(server, id);
  const { length } = await logOf(server, id);
  return `the job goes on to \`${state}\`; half-way, ${seen === 0 ? 'none' : 'the beginning'} of its log could be read, at the end ${length} bytes`;
}

/** @param {Server} server */
async function twoAtOnce(server) {
  const both = ids.map((id) => workdirWith(`two-${server.word}-${id}`, id));
  const jobs = await Promise.all(both.map(async (workdir) => up(server, workdir)));
  let overlap = false;
  const states = new Set();
  await tries(
    'both end',
    async () => {
      const now = await Promise.all(jobs.map(async ({ id }) => call(`${server.url()}/jobs/${id}`)));
      const areUnderway = now.every(({ finishedAt }) => finishedAt === null);
      if (areUnderway && both.every(isHalfUp)) overlap = true;
      if (areUnderway) states.add(now.map(({ state }) => state).join(' and '));
      return !areUnderway && now.every(({ finishedAt }) => finishedAt !== null);
    },
    2 * patienceSeconds,
  ).catch(() => undefined);
  const ends = await Promise.all(jobs.map(async ({ id }) => call(`${server.url()}/jobs/${id}`)));
  const how = overlap ? 'at the same time' : `one after the other (shown as ${[...states].join(', then ')})`;
  return `${how}: \`${ends.map(({ state }) => state).join('`, `')}\`; of 4 nodes, ${nodes(ids[0]) + nodes(ids[1])} run`;
}

/** @param {Server} server */
async function brokenTopology(server) {
  const { id } = await up(server, workdirWith(`broken-${server.word}`, ids[0], 'no-such-device'));
  const job = await ended(server, id);
  const log = await logOf(server, id);
  const later = job.finishedAt === null ? '' : ', but `finishedAt` is set';
  return `\`${job.state}\`${job.state === 'running' ? later : ''}; \`error\`: ${job.error ?? 'null'}; its log has ${log.length} bytes`;
}

const questions = {
  '`kill -9` of the service in the middle of an `up`': killed,
  'a client goes away': clientGone,
  'two labs at once': twoAtOnce,
  'a topology that netlab refuses': brokenTopology,
};

async function compare() {
  for (const program of options.namespaces ? ['netlab'] : ['netlab', 'containerlab', 'docker'])
    must(spawnSync(program, ['version']).status === 0, `${program} does not work on this machine`);
  const [version] = /\d[\w.]*/.exec(printed('netlab', 'version')) ?? [];
  servers.push(labApi(temporary), netlabApi(temporary));
  for (const server of servers) await server.start();
  const { version: own } = await call(`${servers[0]?.url()}/`);
  const table = [`|  | lab-api ${own} | \`netlab api\` ${version} |`, '| --- | --- | --- |'];
  for (const line of table) say(line);
  for (const [question, ask] of Object.entries(questions)) {
    /** @type {string[]} */
    const answers = [];
    for (const server of servers) {
      answers.push(await ask(server));
      takeDown();
    }
    table.push(`| ${question} | ${answers.join(' | ')} |`);
    say(table.at(-1) ?? '');
  }
  if (options.record) await record('comparison.md', 'scripts/compare-netlab-api.mjs', table.join('\n'));
}

try {
  await Promise.race([compare(), interrupted()]);
} catch (error) {
  process.stderr.write(`compare-netlab-api: ${messageOf(error)}\n`);
  process.exitCode = 1;
} finally {
  for (const server of servers) await server.kill();
  // A job of lab-api goes on.
  for (const workdir of workdirs) await atRest(workdir).catch(() => undefined);
  takeDown();
}
process.exit();
