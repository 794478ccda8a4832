/** The examples of the description of the API: what a real service with the bundled engine answers. */
import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { built } from '../lib/built.mjs';
import { freeInstance } from '../lib/free-instance.mjs';
import { root, plainEnvironment, startService } from '../lib/service.mjs';
import { temporaryDirectory } from '../lib/temporary-directory.mjs';
import { normalise } from './normalise.mjs';
import { playedPrograms } from './played-programs.mjs';
import { recordAudit } from './record-audit.mjs';
import { recordFaults } from './record-faults.mjs';
import { recordHosts, startOneHost } from './record-hosts.mjs';
import { recordImages } from './record-images.mjs';
import { recordRestore, recordSnapshots } from './record-snapshots.mjs';
import { recordReports, startWithNetlab } from './record-reports.mjs';
import { recordWorkspaces, shared } from './record-workspaces.mjs';
import { emptyUsersFile, missingProvider, recordUsers } from './record-users.mjs';

/**
 * @param {{ ask: (call: string, options?: { as?: string, body?: unknown }) => Promise<unknown> }} recorder
 * @param {number} instance of a lab that is up
 */
async function recordNodes(recorder, instance) {
  const node = `/labs/${instance}/nodes/h1`;
  const impairment = `${node}/interfaces/eth1/impairment`;
  const body = { command: ['ip', '-br', 'address', 'show', 'dev', 'lo'], timeoutSeconds: 10 };
  await recorder.ask(`POST ${node}/exec`, { as: 'execInNode', body });
  await recorder.ask(`POST /labs/${instance}/exec`, { as: 'execInNodes', body: { nodes: ['all'], ...body } });
  await recorder.ask(`PUT ${impairment}`, {
    as: 'putImpairment',
    body: { delayMs: 50, jitterMs: 5, lossPercent: 1 },
  });
  await recorder.ask(`GET ${impairment}`, { as: 'getImpairment' });
  await recorder.ask(`DELETE ${impairment}`, { as: 'removeImpairment' });
  await recordFaults(recorder, `/labs/${instance}`);
  await recorder.ask(`GET /labs/${instance}/nodes/nobody/log`);
  await recorder.ask(`GET ${node}/log`);
  await recorder.ask(`GET ${node}/configuration`, { as: 'getNodeConfiguration' });
  await recorder.ask(`GET ${node}/terminal`);
  await recorder.ask(`GET ${node}/interfaces/eth9/capture`);
}

const authorization = `Basic ${Buffer.from('ops:a password').toString('base64')}`;

/** Of three digits: an instance stands in logs, whose offsets are to stay true when it is renamed. */
function threeDigitInstance() {
  for (;;) {
    const instance = freeInstance();
    if (instance >= 100) return instance;
  }
}

/** Sends requests and keeps the answers that become examples. */
export class Recorder {
  /** @type {Record<string, { request?: unknown, replies: Record<string, Record<string, unknown>> }>} */
  operations = {};
  /** @type {Record<string, unknown>} */
  problems = {};
  #url;

  /** @param {string} url */
  constructor(url) {
    this.#url = url;
  }

  /**
   * @param {string} call such as `GET /jobs`
   * @param {{ as?: string, body?: unknown, upload?: string | Buffer, headers?: Record<string, string> }} [options] as: the operation
   *   that the answer is an example of; upload: a body that is no example, sent as it is
   */
  async ask(call, { as, body, upload, headers } = {}) {
    const [method = '', target] = call.split(' ');
    const reply = await fetch(this.#url + target, {
      method,
      headers: { Authorization: authorization, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(upload !== undefined && { body: upload }),
    });
    const mediaType = reply.headers.get('Content-Type')?.split(';')[0] ?? '';
    const text = await reply.text();
    const value = /[/+]json$/.test(mediaType) ? JSON.parse(text) : text;
    if (mediaType === 'application/problem+json') this.problems[value.code] ??= value;
    else if (as !== undefined) this.#keep(as, reply.status, mediaType, value);
    else if (!reply.ok) throw new Error(`${call}: ${reply.status} ${text}`);
    if (as !== undefined && body !== undefined && reply.ok) this.#entry(as).request = body;
    return value;
  }

  /** @param {string} operation */
  #entry(operation) {
    return (this.operations[operation] ??= { replies: {} });
  }

  /** @param {string} as @param {number} status @param {string} mediaType @param {unknown} value */
  #keep(as, status, mediaType, value) {
    const ofStatus = (this.#entry(as).replies[status] ??= {});
    if (mediaType !== '') ofStatus[mediaType] ??= value;
  }

  /** @param {string} id */
  async end(id) {
    return this.ask(`GET /jobs/${id}?wait=60`);
  }
}

/** @param {Recorder} recorder */
async function recordService(recorder) {
  await recorder.ask('GET /', { as: 'getServiceInfo' });
  await recorder.ask('GET /session', { as: 'getSession' });
  const login = { user: 'ops', password: 'a password' };
  await recorder.ask('POST /session', { as: 'beginSession', body: login });
  await recorder.ask('GET /healthz', { as: 'getLiveness' });
  await recorder.ask('GET /readyz', { as: 'getReadiness' });
  await recorder.ask('POST /mcp', {
    as: 'postMcp',
    body: { jsonrpc: '2.0', id: 1, method: 'ping' },
    headers: { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' },
  });
}

/**
 * Every GET about a lab that names nothing else and answers with JSON.
 *
 * @param {Recorder} recorder
 * @param {string} lab its path
 */
async function recordReads(recorder, lab) {
  const { routes } = await built('http/routers/routes.js');
  for (const { method, path: pattern, about, operationId, replies } of routes) {
    const isRead = method === 'get' && about === 'lab' && /^\/labs\/:id(\/[a-z-]+)?$/.test(pattern);
    if (isRead && 'application/json' in (replies[200]?.content ?? {}))
      await recorder.ask(`GET ${pattern.replace('/labs/:id', lab)}`, { as: operationId });
  }
}

/** @param {Recorder} recorder @param {string} labs @param {number} multilabId */
async function recordLab(recorder, labs, multilabId) {
  const workdir = path.join(labs, 'triangle');
  await recorder.ask(`GET /templates?dir=${labs}&recursive=true`, { as: 'listTemplates' });
  const up = {
    action: 'up',
    workdir,
    multilabId,
    labels: { ci: 'build-17' },
    onCancel: 'down',
    ttlSeconds: 7200,
  };
  const { id } = await recorder.ask('POST /jobs', { as: 'submitJob', body: up });
  // While that runs:
  await recorder.ask(`DELETE /jobs/${id}`);
  await recorder.ask('POST /jobs', { body: { ...up, onConflict: 'reject' } });
  const waiting = await recorder.ask('POST /jobs', { body: { action: 'collect', workdir } });
  await recorder.ask(`POST /jobs/${waiting.id}/cancel`, { as: 'cancelJob', body: { force: true } });
  await recorder.end(id);
  await recorder.ask(`GET /jobs/${id}`, { as: 'getJob' });
  await recorder.ask(`GET /jobs/${id}/topology`, { as: 'getJobTopology' });
  const log = `GET /jobs/${id}/log`;
  await recorder.ask(log, { as: 'getJobLog' });
  await recorder.ask(`${log}?output=text`, { as: 'getJobLog' });
  await recorder.ask(log, { as: 'getJobLog', headers: { Accept: 'text/event-stream' } });
  const text = { Accept: 'text/plain' };
  await recorder.ask(log, { as: 'getJobLog', headers: { ...text, Range: 'bytes=0-15' } });
  await recorder.ask(log, { headers: { ...text, Range: 'bytes=99999-' } });
  await recorder.ask('GET /status', { as: 'getAllStatus' });
  await recorder.ask(`GET /status/${multilabId}`, { as: 'getInstanceStatus' });
  await recorder.ask('GET /labs', { as: 'listLabs' });
  await recorder.ask('GET /search?q=10.0.0.1', { as: 'searchLabs' });
  const [lab, layout] = [`/labs/${multilabId}`, { nodes: { r1: { x: 200, y: 0 } }, links: {} }];
  await recorder.ask(`PUT ${lab}/layout`, { as: 'replaceLabLayout', body: layout });
  await recorder.ask(`PUT ${lab}/layout`, { body: layout, headers: { 'If-Match': '"older"' } });
  await recordReads(recorder, lab);
  await recorder.ask(`GET ${lab}/inventory?format=ssh-config`, { as: 'getLabInventory' });
  await recorder.ask(`GET ${lab}/inventory`);
  await recorder.ask(`PATCH ${lab}`, { as: 'changeLab', body: { ttlSeconds: 14_400 } });
  await recorder.ask(`PUT ${lab}/shares`, { as: 'replaceLabShares', body: shared });
  await recorder.ask(`PUT ${lab}/owner`, { as: 'replaceLabOwner', body: { owner: 'ops' } });
  await recordNodes(recorder, multilabId);
  await recordSnapshots(recorder, lab);
  await recorder.ask('GET /jobs?action=up&limit=1', { as: 'listJobs' });
  await recorder.ask(`POST /jobs/${id}/cancel`);
  const again = await recorder.ask(`POST /jobs/${waiting.id}/retry`, { as: 'retryJob' });
  await recorder.end(again.id);
  await recorder.ask(`GET /jobs/${again.id}/artifacts`, { as: 'listArtifacts' });
  await recorder.ask(`DELETE /jobs/${waiting.id}`, { as: 'removeJob' });
  const down = await recorder.ask('POST /jobs', { body: { action: 'down', workdir, cleanup: true } });
  const { state, error } = await recorder.end(down.id);
  if (state !== 'success') throw new Error(`the lab is not down: ${error}`);
  await recorder.ask('GET /stopped-labs', { as: 'listStoppedLabs' });
  await recordRestore(recorder);
}

/** Requests that are refused. @param {Recorder} recorder @param {string} labs */
async function recordProblems(recorder, labs) {
  const workdir = path.join(labs, 'triangle');
  const submit = async (/** @type {unknown} */ body, headers = {}) =>
    recorder.ask('POST /jobs', { body, headers });
  await recorder.ask('GET /healthz', { headers: { Authorization: '' } });
  await recorder.ask('GET /docs/nothing');
  await recorder.ask('GET /jobs/job-1768469400000-000000');
  await recorder.ask('GET /status/nowhere');
  await recorder.ask(`GET /templates?dir=${labs}/nowhere`);
  await submit({ action: 'up', workdir, timeoutSeconds: 'long', colour: 'red' });
  await submit('{"action": up}');
  await submit({ action: 'up', workdir: path.join(labs, 'nowhere') });
  await submit({ action: 'up', workdir: '/etc' });
  await submit({ action: 'up', workdir, topologyPath: 'nowhere.yml' });
  await submit({ action: 'up', workdir, topologyUrl: 'http://127.0.0.1/topology.yml' });
  await submit({ action: 'status' }, { 'Sec-Fetch-Site': 'cross-site' });
  await submit({ action: 'status', workdir: 'x'.repeat(1_100_000) });
  const key = { 'Idempotency-Key': 'build-17' };
  const { id } = await submit({ action: 'create', workdir }, key);
  await submit({ action: 'down', workdir }, key);
  await recorder.end(id);
}

/** The answers of a service with a lab, for all operations. */
export async function recordExamples() {
  const ground = temporaryDirectory('lab-api-record');
  const labs = path.join(ground, 'labs');
  cpSync(path.join(root, 'examples', 'triangle'), path.join(labs, 'triangle'), { recursive: true });
  const settings = path.join(ground, 'lab-api.env');
  writeFileSync(settings, 'LAB_API_MAX_RUNNING_JOBS=2\n');
  const env = {
    ...plainEnvironment(),
    PATH: `${playedPrograms(ground)}:${process.env['PATH']}`,
    LAB_API_USER: 'ops',
    LAB_API_PASSWORD: 'a password',
    LAB_API_CLI: 'engine',
    LAB_API_MCP: 'true',
    LAB_API_SETTINGS_FILE: settings,
    LAB_API_ROOTS: labs,
    LAB_API_DATA_DIR: path.join(ground, 'data'),
    LAB_API_AUDIT_FILE: path.join(ground, 'audit.jsonl'),
    LAB_HOME: path.join(ground, 'engine'),
    LAB_API_USERS_FILE: emptyUsersFile(ground),
    ...missingProvider,
  };
  const instance = threeDigitInstance();
  const service = await startService({ env });
  writeFileSync(settings, 'LAB_API_MAX_RUNNING_JOBS=4\nLAB_API_SESSION_TTL=8h\n');
  const host = await startOneHost(ground, env);
  const withNetlab = await startWithNetlab(ground, env);
  try {
    const recorder = new Recorder(service.url);
    await recordService(recorder);
    await recordLab(recorder, labs, instance);
    for (const record of [recordWorkspaces, recordImages, recordUsers]) await record(recorder);
    await recordProblems(recorder, labs);
    await recordAudit(recorder);
    const ofHost = new Recorder(host.url);
    await recordHosts(ofHost, host);
    const ofNetlab = new Recorder(withNetlab.url);
    await recordReports(ofNetlab);
    return normalise(
      {
        operations: { ...recorder.operations, ...ofHost.operations, ...ofNetlab.operations },
        problems: { ...recorder.problems, ...ofHost.problems, ...ofNetlab.problems },
      },
      {
        [host.url]: 'https://lab1.example.com:8090',
        [labs]: '/labs',
        [settings]: '/etc/lab-api/lab-api.env',
        [path.join(ground, 'data')]: '/var/lib/lab-api',
        [path.join(ground, 'engine')]: '/var/lib/lab-api/engine',
        [process.execPath]: '/usr/bin/node',
        [root]: '/usr/lib/node_modules/lab-api',
        [String(instance)]: '101',
      },
    );
  } finally {
    await withNetlab.end();
    await host.end();
    await service.end();
  }
}
