// Measures many sessions over SSH at once: each has a connection of its own, and a program in a node of an engine lab that sends
// back what it gets. In each round all of them connect, send, receive and leave. For root.
// Targets: the service has no more memory in the last rounds than in those before, and no program and no connection is left.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'ssh2';
import { call, endOf } from '../lib/http.mjs';
import { figureOf } from '../lib/process-usage.mjs';
import { must } from '../lib/words.mjs';
import { median, progress, root, showTable, start, target } from './kit.mjs';

export const options = /** @type {const} */ ({
  sessions: { type: 'string', default: '200' },
  rounds: { type: 'string', default: '10' },
  kibibytes: { type: 'string', default: '256' },
});

const multilabId = 62;
const nodes = ['r1', 'r2', 'r3', 'r4'];
const topology = `name: bench\ndefaults.device: linux\nnodes: [${nodes.join(', ')}]\nlinks: [r1-r2, r2-r3, r3-r4]\n`;
/** Connections that are opened at once: a service lets 16 of an address in that have not logged in. */
const lanes = 8;
const mostGrowthMiB = 16;
/** In seconds: the last programs end after their clients. */
const patience = 30;
// The shell stays, and with it these words.
const program = 'cat; exit # of the measurement';

/** @param {number} port @param {number} index */
async function open(port, index) {
  const client = new Client();
  await new Promise((resolve, reject) => {
    client.once('ready', () => resolve(undefined)).once('error', reject);
    client.connect({ host: '127.0.0.1', port, username: `${nodes[index % nodes.length]}.${multilabId}` });
  });
  /** @type {import('ssh2').ClientChannel} */
  const channel = await new Promise((resolve, reject) =>
    client.exec(program, (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  return { client, channel };
}

/** @param {import('ssh2').ClientChannel} channel @param {Buffer} bytes */
async function sendAndReceive(channel, bytes) {
  let [received, said] = [0, ''];
  channel.stderr.on('data', (/** @type {Buffer} */ piece) => (said += piece.toString()));
  const whole = new Promise((resolve, reject) => {
    channel.on('data', (/** @type {Buffer} */ piece) => {
      received += piece.length;
      if (received >= bytes.length) resolve(undefined);
    });
    channel.once('close', () => reject(new Error(`a session ended after ${received} bytes: ${said}`)));
  });
  channel.write(bytes);
  await whole;
}

/** Those in nodes. */
const programs = () =>
  readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(program);
    } catch {
      return false;
    }
  }).length;

/** @param {number} port @param {number} count @param {Buffer} bytes @param {() => number} residentMiB */
async function round(port, count, bytes, residentMiB) {
  /** @type {Awaited<ReturnType<typeof open>>[]} */
  const sessions = [];
  let opened = 0;
  const lane = async () => {
    for (let index = opened++; index < count; index = opened++) sessions.push(await open(port, index));
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  const openMs = performance.now() - began;
  await Promise.all(sessions.map(({ channel }) => sendAndReceive(channel, bytes)));
  const running = programs();
  const openMiB = residentMiB();
  for (const { client } of sessions) client.end();
  for (let waited = 0; programs() > 0 && waited < patience; waited += 0.05) await delay(50);
  return { openMs, running, openMiB, leftMiB: residentMiB() };
}

/** @param {Record<keyof typeof options, string>} values */
export async function bench(values) {
  const [count, rounds] = [Number(values.sessions), Number(values.rounds)];
  const bytes = randomBytes(Number(values.kibibytes) * 1024);
  const workdir = path.join(root, 'lab');
  mkdirSync(workdir);
  const { url, pid } = await start({
    LAB_API_CLI: 'engine',
    LAB_API_DATA_DIR: path.join(root, 'data'),
    LAB_API_SSH_PORT: '0',
    LAB_API_MAX_NODE_SESSIONS: String(count),
  });
  const run = async (/** @type {object} */ request) =>
    endOf(url, (await call(`${url}/jobs`, { workdir, ...request })).id);
  const up = await run({ action: 'up', topology, multilabId });
  must(up.state === 'success', `the lab did not start: ${up.error}`);
  try {
    const { port } = (await call(`${url}/`)).ssh;
    const residentMiB = () => figureOf(pid, 'status', 'VmRSS') / 1024;
    const results = [];
    for (let index = 0; index < rounds; index += 1) {
      const result = await round(port, count, bytes, residentMiB);
      results.push(result);
      progress(`round ${index + 1}: ${result.running} programs, ${Math.round(result.openMiB)} MiB`);
    }
    showTable(
      ['round', 'programs', 'all open after', 'memory with all open', 'with all gone'],
      results.map(({ openMs, running, openMiB, leftMiB }, index) => [
        index + 1,
        running,
        `${(openMs / 1000).toFixed(1)} s`,
        `${Math.round(openMiB)} MiB`,
        `${Math.round(leftMiB)} MiB`,
      ]),
    );
    const third = Math.max(1, Math.floor(rounds / 3));
    const memory = results.map(({ openMiB }) => openMiB);
    const growth = Math.round(median(memory.slice(-third)) - median(memory.slice(third, 2 * third)));
    const metrics = await (await fetch(`${url}/metrics`)).text();
    target(
      `${count} programs ran in each round`,
      results.every(({ running }) => running >= count),
    );
    target(
      `the memory of the service grew by ${growth} MiB from the second third of the rounds to the last (at most ${mostGrowthMiB})`,
      growth <= mostGrowthMiB,
    );
    target(
      'no program and no connection is left',
      programs() === 0 && /^lab_api_ssh_connections 0$/m.test(metrics),
    );
  } finally {
    await run({ action: 'down', cleanup: true, force: true });
  }
}
