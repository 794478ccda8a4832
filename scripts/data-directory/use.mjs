/** A small mixed use of a service of any version, and its answers after that. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tries } from '../lib/wait.mjs';
import { must } from '../lib/words.mjs';

export const [user, password] = ['ops', 'of-a-data-directory'];
const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
const topology = '{defaults.device: linux, nodes: {h1: , r1: {role: router}, h2: }, links: [h1-r1, r1-h2]}';

/** Of the lab that stays up: one that tests on this machine do not take. */
const number = 190;

/** @type {string[]} Not in this version. */
const without = [];
/** @type {string | null} Of the login of a browser. */
let cookie = null;

/**
 * @param {string} url
 * @param {{ method?: string, body?: unknown, headers?: Record<string, string> }} [options]
 */
async function ask(url, { method = 'GET', body, headers = {} } = {}) {
  const content = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const given = { method, headers: { authorization, ...headers }, ...(content && { body: content }) };
  const reply = await fetch(url, given);
  const text = await reply.text();
  const setCookie = reply.headers.get('set-cookie')?.split(';')[0];
  return { status: reply.status, text, json: () => JSON.parse(text), cookie: setCookie };
}

/** Something that earlier versions do not have. @param {string} what @param {Parameters<typeof ask>} request */
async function attempt(what, ...request) {
  const reply = await ask(...request);
  if (reply.status < 300) return reply;
  must([400, 404, 405].includes(reply.status), `${what}: ${reply.status} ${reply.text}`);
  without.push(what);
  return undefined;
}

/** @param {string} url @param {object} body @param {Record<string, string>} [headers] @returns {Promise<any>} */
async function submit(url, body, headers) {
  const reply = await ask(`${url}/jobs`, { method: 'POST', body, ...(headers && { headers }) });
  must(reply.status === 202, `POST /jobs: ${reply.status} ${reply.text}`);
  return reply.json();
}

/** The record of a job in that state. @param {string} url @param {string} id @param {string} state */
async function reach(url, id, state) {
  return tries(`${id} is ${state}`, async () => {
    const job = (await ask(`${url}/jobs/${id}`)).json();
    must(job.finishedAt === null || job.state === state, `${id} is ${job.state}: ${job.error}`);
    return job.state === state && job;
  });
}

/** @param {string} url @param {string} labs a directory */
export async function useAll(url, labs) {
  const round = { workdir: `${labs}/round`, topology };
  await reach(url, (await submit(url, { action: 'up', ...round })).id, 'success');
  await reach(url, (await submit(url, { action: 'collect', workdir: round.workdir })).id, 'success');
  await reach(url, (await submit(url, { action: 'down', workdir: round.workdir })).id, 'success');
  const wrong = { action: 'create', workdir: round.workdir, topology: 'nodes: [r1]\nlinks: [r1-nosuch]\n' };
  await reach(url, (await submit(url, wrong)).id, 'failed');
  await keepLab(url, `${labs}/kept`);
  await useWorkspace(url);
  const login = await attempt('sessions', `${url}/session`, { method: 'POST', body: { user, password } });
  cookie = login?.cookie ?? null;
  const slow = await submit(url, { action: 'up', workdir: `${labs}/slow`, topology });
  await reach(url, slow.id, 'running');
  await tries(
    'the log begins',
    async () => (await ask(`${url}/jobs/${slow.id}/log?output=text`)).text !== '',
  );
  const once = { 'idempotency-key': '"of-a-data-directory"' };
  const waiting = { action: 'create', workdir: `${labs}/round`, topology };
  await submit(url, waiting, once);
  const unwanted = await submit(url, { ...waiting, workdir: `${labs}/slow` });
  await attempt('cancels', `${url}/jobs/${unwanted.id}/cancel`, { method: 'POST' });
  await reach(url, unwanted.id, 'canceled');
}

/** A lab that is up when the machine goes down. @param {string} url @param {string} workdir */
async function keepLab(url, workdir) {
  const body = { action: 'up', workdir, topology, multilabId: number };
  const more = { labels: { course: 'one' }, callbackUrl: 'http://127.0.0.1:9/callback' };
  const reply = await ask(`${url}/jobs`, { method: 'POST', body: { ...body, ...more } });
  if (reply.status !== 202) without.push('labels and callbacks');
  const { id } = reply.status === 202 ? reply.json() : await submit(url, body);
  await reach(url, id, 'success');
  const lease = { method: 'PATCH', body: { ttlSeconds: 30 * 24 * 3600 } };
  await attempt('leases', `${url}/labs/${number}`, lease);
  const fault = { method: 'PUT', body: { kind: 'down' } };
  await attempt('faults', `${url}/labs/${number}/links/1/fault`, fault);
}

/** @param {string} url */
async function useWorkspace(url) {
  mkdirSync('/run/upload');
  writeFileSync('/run/upload/topology.yml', `${topology}\n`);
  writeFileSync('/run/upload/notes.txt', 'kept\n');
  const body = execFileSync('tar', ['-C', '/run/upload', '-cz', '.']);
  const upload = { method: 'PUT', body, headers: { 'content-type': 'application/gzip' } };
  if (!(await attempt('workspaces', `${url}/workspaces/first`, upload))) return;
  await reach(url, (await submit(url, { action: 'create', workspace: 'first' })).id, 'success');
}

/** The id of the last event so far; null where there are none. @param {string} url */
export async function lastEvent(url) {
  const stop = new AbortController();
  const reply = await fetch(`${url}/events`, { headers: { authorization }, signal: stop.signal });
  let text = '';
  if (reply.ok)
    for await (const bytes of reply.body ?? []) {
      text += Buffer.from(bytes).toString('utf8');
      const id = /^id: ?(.+)\n/m.exec(text)?.[1];
      if (id !== undefined) return id;
    }
  stop.abort();
  without.push('events');
  return null;
}

/** The jobs with their logs, and the workspaces. @param {string} url */
export async function seen(url) {
  const { jobs } = (await ask(`${url}/jobs?limit=100`)).json();
  /** @type {Record<string, string>} */
  const logs = {};
  for (const { id } of jobs) logs[id] = (await ask(`${url}/jobs/${id}/log?output=text`)).text;
  const workspaces = await ask(`${url}/workspaces`);
  return {
    at: new Date().toISOString(),
    without,
    cookie,
    jobs,
    logs,
    workspaces: workspaces.status === 200 ? workspaces.json().workspaces : [],
  };
}
