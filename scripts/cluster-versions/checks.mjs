// The checks between two hosts of different versions, through either of them.
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { done, must } from '../lib/words.mjs';
import { tries } from '../lib/wait.mjs';

/** @typedef {import('../chaos/cluster/machines.mjs').Host} Host */
/** @typedef {{ asked: Host, other: Host }} Pair */

const topologyOf = (/** @type {readonly string[]} */ ...commands) =>
  ['name: versions', 'nodes: [r1, r2]', ...commands.map((command) => `# run: ${command}`), ''].join('\n');
/** Runs until the file exists. */
const until = (/** @type {string} */ file) => `while [ ! -e "${file}" ]; do sleep 0.1; done`;

/**
 * The answer of the host. In the first seconds of a Redis, a host that restarts answers 503 where it lacks data, and clients repeat the request.
 * @param {Host} host @param {string} what such as `GET /jobs` @param {{ body?: unknown, key?: string }} [more]
 */
async function ask(host, what, more) {
  const [method = '', target = ''] = what.split(' ');
  const reply = await tries(`${host.name} answers ${what}`, async () => {
    const given = await host.request(method, target, more);
    if (given.status === 503) throw new Error(given.body.error);
    return given;
  });
  must(reply.status < 400, `${what} of ${host.name}: ${reply.status} ${reply.body.error}`);
  return reply.body;
}

/** @param {Host} host @param {string} name @param {string} state */
export async function seen(host, name, state) {
  return tries(`${host.name} sees ${name} as ${state}`, async () => {
    const { hosts } = await ask(host, 'GET /hosts');
    return hosts.find((/** @type {any} */ one) => one.name === name && one.state === state);
  });
}

/** @param {Pair} pair @param {readonly string[]} commands @param {Record<string, unknown>} [more] */
async function start({ asked, other }, commands, more = {}) {
  const wanted = { action: 'up', workspace: 'auto', topology: topologyOf(...commands), host: other.name };
  const job = await ask(asked, 'POST /jobs', { body: { ...wanted, ...more } });
  must(job.host === other.name, `${job.id} is on ${job.host}`);
  return job;
}

/** @param {Host} host @param {string} id */
async function endOf(host, id) {
  return tries(`${id} ends`, async () => {
    const job = await ask(host, `GET /jobs/${id}?wait=5`);
    return job.finishedAt !== null && !job.stale ? job : undefined;
  });
}

/** The events that the host tells of, as they come. @param {Host} host */
async function followEvents(host) {
  const request = http.get(`${host.url}/events`, { agent: false });
  const [reply] = /** @type {[http.IncomingMessage]} */ (await once(request, 'response'));
  let text = '';
  reply.on('data', (/** @type {Buffer} */ piece) => (text += piece.toString()));
  reply.on('error', () => undefined);
  const has = async (/** @type {RegExp} */ pattern) =>
    tries(`${host.name} tells of ${pattern.source}`, () => Promise.resolve(pattern.test(text)));
  await has(/^event: ready/m);
  return { has, end: () => request.destroy() };
}

/** @param {Pair} pair */
async function jobAndEvents(pair) {
  const { asked, other } = pair;
  const events = await followEvents(asked);
  const gate = path.join(other.state, `gate-${asked.name}`);
  const { id, instance } = await start(pair, ['echo one', until(gate), 'echo two', 'exit 0'], {
    multilabId: 'auto',
  });
  const log = asked.request('GET', `/jobs/${id}/log?output=text&follow=true`, {
    onPiece: () => existsSync(gate) || writeFileSync(gate, ''),
  });
  const { body: text } = await log;
  must(text.startsWith('one\ntwo\n'), `the log of ${id} through ${asked.name} is "${text}"`);
  const { state, host } = await endOf(asked, id);
  must(state === 'success' && host === other.name, `${id} is ${state} on ${host}`);
  await events.has(
    new RegExp(`^data: .*"id":"${id}".*"state":"success"|^data: .*"state":"success".*"id":"${id}"`, 'm'),
  );
  events.end();
  for (const through of [asked, other]) {
    const { jobs, missingHosts } = await ask(through, 'GET /jobs');
    must(missingHosts === undefined, `${through.name} misses ${missingHosts}`);
    must(
      jobs.some((/** @type {any} */ job) => job.id === id),
      `${through.name} does not list ${id}`,
    );
  }
  return { id, instance };
}

/** @param {Pair} pair */
async function cancelThrough(pair) {
  const { id } = await start(pair, [until('/never'), 'exit 0']);
  await tries(`${id} runs`, async () => (await ask(pair.asked, `GET /jobs/${id}`)).state === 'running');
  await ask(pair.asked, `POST /jobs/${id}/cancel`);
  const { state } = await endOf(pair.asked, id);
  must(state === 'canceled', `${id}, which was canceled, is ${state}`);
}

/** @param {Pair} pair */
async function oneKey({ asked, other }) {
  const key = `key-of-${asked.name}`;
  const body = { action: 'up', workspace: 'auto', topology: topologyOf('exit 0') };
  const first = await ask(asked, 'POST /jobs', { body, key });
  const second = await ask(other, 'POST /jobs', { body, key });
  must(
    first.id === second.id,
    `one key made ${first.id} on ${first.host} and ${second.id} on ${second.host}`,
  );
  await endOf(other, first.id);
}

/** @param {Pair} pair */
async function filesThrough({ asked, other }) {
  const name = `of-${asked.name}`;
  await ask(asked, `PUT /workspaces/${name}?host=${other.name}`);
  const { workspaces } = await ask(other, `GET /workspaces?host=${other.name}`);
  must(
    workspaces.some((/** @type {any} */ one) => one.name === name),
    `${name} is not on ${other.name}`,
  );
  await ask(asked, `GET /workspaces/${name}/files`);
  await ask(asked, `DELETE /workspaces/${name}`);
}

/** @param {Pair} pair */
async function drainThrough({ asked, other }) {
  await ask(asked, `POST /hosts/${other.name}/drain`, { body: { drain: true } });
  for (const host of [asked, other]) await seen(host, other.name, 'draining');
  const body = { action: 'up', workspace: 'auto', topology: topologyOf('exit 0') };
  const { id, host } = await ask(asked, 'POST /jobs', { body });
  must(host === asked.name, `${id} came to ${host}, which is drained`);
  await endOf(asked, id);
  await ask(asked, `POST /hosts/${other.name}/drain`, { body: { drain: false } });
  for (const one of [asked, other]) await seen(one, other.name, 'up');
}

/** A cancel that is kept for a host that restarts. @param {Pair} pair */
async function cancelWhileAway(pair) {
  const { asked, other } = pair;
  const { id } = await start(pair, [until('/never'), 'exit 0']);
  await tries(`${id} runs`, async () => (await ask(asked, `GET /jobs/${id}`)).state === 'running');
  await other.kill('SIGTERM');
  await seen(asked, other.name, 'away');
  const { stale, action } = await ask(asked, `GET /jobs/${id}`);
  must(stale === true && action === 'up', `${id} of a host that is away is not known`);
  await ask(asked, `POST /jobs/${id}/cancel`);
  await other.start();
  for (const [one, two] of [
    [asked, other],
    [other, asked],
  ])
    await seen(/** @type {Host} */ (one), String(two?.name), 'up');
  const { state } = await endOf(asked, id);
  must(state === 'canceled', `${id}, which was canceled while its host was away, is ${state}`);
}

/** @type {Readonly<Record<string, (pair: Pair) => Promise<unknown>>>} */
const checks = {
  'a job is started, its log and its events followed': jobAndEvents,
  'a job is canceled': cancelThrough,
  'one key is one job': oneKey,
  'a workspace is made, read and removed': filesThrough,
  'the host is drained, and takes labs again': drainThrough,
  'a cancel is kept for the host while it restarts': cancelWhileAway,
};

/** How many of them failed. @param {Pair} pair @param {(words: unknown) => void} failed */
export async function checkAll(pair, failed) {
  const which = `${pair.asked.name} asked about ${pair.other.name}`;
  for (const [what, check] of Object.entries(checks)) {
    try {
      await check(pair);
      done(`${which}: ${what}`);
    } catch (error) {
      failed(`${which}: ${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
