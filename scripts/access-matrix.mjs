#!/usr/bin/env node
// Checks access: calls each route of the API without a login and as a user of each role, with password, token and session,
// compares the answers with the permission that the route declares (`x-permission` in /openapi.json), and prints the table.
// Then each role sends random requests: no answer may go beyond the role, and none may be a 500.
//   scripts/access-matrix.mjs [--requests N] [--seed N]
// --requests: random requests for each role (default: 10,000). Exit code 1 when an answer is wrong.
// The requests start and stop labs and remove files. The script therefore runs in namespaces of its own (unshare(1)), where only
// a temporary directory can be written: on Linux, as root or where users may make namespaces.
import http from 'node:http';
import os from 'node:os';
import { confine, isConfined } from './lib/confine.mjs';
import { done, failed, must, say } from './lib/words.mjs';
import { readOptions } from './lib/options.mjs';
import { randomRequests } from './access-matrix/random-requests.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { plainEnvironment, program, startService } from './lib/service.mjs';

const roles = /** @type {const} */ (['viewer', 'operator', 'admin']);

/** @typedef {(typeof roles)[number]} Role */
/** @typedef {'password' | 'token' | 'session'} LoginKind */
/** @typedef {{ kind: LoginKind, headers: () => Promise<Record<string, string>> }} Login `headers` are those of a request. */

/** @param {Role} role */
const passwordOf = (role) => `the password of the ${role}`;

/**
 * The service, with the bundled engine and all of its files below `directory`.
 * @param {string} directory
 * @param {NodeJS.ProcessEnv} [more]
 */
async function startWithThreeUsers(directory, more = {}) {
  const inside = (/** @type {string} */ name) => path.join(directory, name);
  for (const name of ['home', 'labs', 'users']) mkdirSync(inside(name), { recursive: true, mode: 0o700 });
  const file = inside('users/users.yml');
  const env = {
    ...plainEnvironment(),
    HOME: inside('home'),
    LAB_HOME: inside('home'),
    LAB_API_USERS_FILE: file,
  };
  const lab = (/** @type {string[]} */ words, input = '') =>
    execFileSync(process.execPath, [program, ...words], {
      env,
      input,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  const tokens = new Map(
    roles.map((role) => {
      writeFileSync(inside(role), passwordOf(role), { mode: 0o600 });
      lab(['user', 'add', role, '--role', role, '--password-file', inside(role)]);
      return [role, lab(['token', 'create', '--user', role]).trim()];
    }),
  );
  const service = await startService({
    env: {
      ...env,
      LAB_API_CLI: 'engine',
      LAB_API_DATA_DIR: inside('data'),
      LAB_API_ROOTS: inside('labs'),
      LAB_API_MIN_FREE_DISK: '1MiB',
      LAB_API_TOPOLOGY_HOSTS: 'topologies.invalid',
      ...more,
    },
  });
  return {
    service,
    labs: inside('labs'),
    loginsOf: (/** @type {Role} */ role) => waysToLogIn(service.url, role, tokens.get(role) ?? ''),
  };
}

/** @param {string} url @param {Role} role @param {string} token @returns {Login[]} */
function waysToLogIn(url, role, token) {
  const password = passwordOf(role);
  const openSession = async () => {
    const body = JSON.stringify({ user: role, password });
    const reply = await fetch(`${url}/session`, { method: 'POST', body });
    const [cookie] = reply.headers.getSetCookie();
    must(reply.ok && cookie !== undefined, `${role} cannot log in: ${reply.status} ${await reply.text()}`);
    return cookie.split(';')[0] ?? '';
  };
  const Basic = `Basic ${Buffer.from(`${role}:${password}`).toString('base64')}`;
  return [
    { kind: 'password', headers: () => Promise.resolve({ Authorization: Basic }) },
    { kind: 'token', headers: () => Promise.resolve({ Authorization: `Bearer ${token}` }) },
    // Another one each time: a request may end it.
    { kind: 'session', headers: async () => ({ Cookie: await openSession() }) },
  ];
}

const options = readOptions({
  requests: { type: 'string', default: '10000' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
});
if (!isConfined()) process.exit(await confine(temporaryDirectory('lab-api-access'), { hasOwnNetwork: true }));

/**
 * @typedef {object} Operation
 * @property {string} operationId
 * @property {string} method
 * @property {string} path With `{id}` for parameters.
 * @property {'public' | 'read' | 'operate' | 'administer'} permission
 * @property {string[]} statuses That it declares.
 */

const least = { read: 'viewer', operate: 'operator', administer: 'admin' };

/** @param {Operation} operation @param {string} role */
const isAllowed = ({ permission }, role) =>
  permission === 'public' ||
  roles.findIndex((one) => one === role) >= roles.findIndex((one) => one === least[permission]);

/**
 * Sends a request, waits for the head of the reply and for as much of its body as there is without waiting: a stream has no end.
 * @param {string} url
 * @param {{ method: string, target: string, headers: Record<string, string>, body?: string | undefined }} request
 * @returns {Promise<{ status: number, code: string | undefined, text: string }>}
 */
async function send(url, { method, target, headers, body }) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = http.request(
      { hostname, port, path: target, method, headers, agent: false },
      (reply) => {
        const isStream = /event-stream|octet-stream|pcap/.test(reply.headers['content-type'] ?? '');
        let text = '';
        const finish = () => {
          const isProblem = /problem\+json/.test(reply.headers['content-type'] ?? '');
          resolve({
            status: reply.statusCode ?? 0,
            code: isProblem ? JSON.parse(text || '{}').code : undefined,
            text,
          });
          reply.destroy();
        };
        if (isStream) return finish();
        reply
          .setEncoding('utf8')
          .on('data', (piece) => (text += piece))
          .on('end', finish)
          .on('error', finish);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** @param {{ paths: Record<string, Record<string, any>> }} document the description of the API @returns {Operation[]} */
function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => operationId !== undefined)
      .map(([method, { operationId, 'x-permission': permission, responses }]) => {
        must(
          ['public', 'read', 'operate', 'administer'].includes(permission),
          `${operationId} does not say who may call it`,
        );
        return {
          operationId,
          method: method.toUpperCase(),
          path: route,
          permission,
          statuses: Object.keys(responses),
        };
      }),
  );
}

/** The outcome of a request, as the matrix shows it. @param {{ status: number, code: string | undefined }} reply */
function outcomeOf({ status, code }) {
  if (status === 401) return 'login';
  return status === 403 && code === 'forbidden' ? 'forbidden' : 'let in';
}

/** @param {string[]} findings @param {Awaited<ReturnType<typeof startWithThreeUsers>>} started @param {Operation[]} operations */
async function tryMatrix(findings, { service, loginsOf }, operations) {
  let tried = 0;
  for (const operation of operations) {
    const { operationId, method } = operation;
    const request = {
      method,
      target: operation.path.replaceAll(/\{\w+\}/g, 'nothing'),
      body: method === 'GET' ? undefined : '{}',
    };
    const expectOutcome = async (
      /** @type {string} */ who,
      /** @type {Record<string, string>} */ headers,
      /** @type {string} */ expected,
    ) => {
      const reply = await send(service.url, { ...request, headers });
      tried += 1;
      const seen = reply.status === 500 ? 'a 500' : outcomeOf(reply);
      if (seen !== expected)
        findings.push(`${operationId} by ${who}: ${seen} (${reply.status}), and not ${expected}`);
    };
    // A wrong login of POST /session is a 400 here: its body holds none.
    await expectOutcome('a stranger', {}, operation.permission === 'public' ? 'let in' : 'login');
    for (const role of roles) {
      for (const { kind, headers } of loginsOf(role)) {
        // A token of another user than an administrator makes no further tokens.
        const isLetIn =
          isAllowed(operation, role) && !(operationId === 'addToken' && kind === 'token' && role !== 'admin');
        await expectOutcome(`${role} (${kind})`, await headers(), isLetIn ? 'let in' : 'forbidden');
      }
    }
    const marks = roles.map((role) => (isAllowed(operation, role) ? role : '-'.repeat(role.length)));
    say(`${operationId.padEnd(22)} ${method.padEnd(6)} ${marks.join('  ')}`);
  }
  return tried;
}

/** @param {string[]} findings @param {Awaited<ReturnType<typeof startWithThreeUsers>>} started @param {{ document: unknown, operations: Operation[] }} api */
async function fuzz(findings, { service, loginsOf, labs }, { document, operations }) {
  const count = Number(options.requests);
  const state = async (/** @type {Record<string, string>} */ headers) =>
    Promise.all(
      ['/jobs?limit=500', '/workspaces'].map(
        async (target) => (await send(service.url, { method: 'GET', target, headers })).text,
      ),
    );
  for (const role of roles) {
    const logins = await Promise.all(loginsOf(role).map(async ({ headers }) => headers()));
    const before = await state(logins[0] ?? {});
    const random = randomRequests({ operations, document, labs, seed: Number(options.seed) });
    const statuses = new Map();
    for (let number = 0; number < count; number += 1) {
      const { operation, ...request } = random();
      // Wrong logins would lock the address out, and a session that is ended is no login any more.
      if (operation.permission === 'public' || operation.path === '/session') continue;
      const headers = { ...request.headers, ...logins[number % logins.length] };
      const reply = await send(service.url, { ...request, headers });
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      const words = `${role}: ${request.method} ${request.target} ${request.body ?? ''}: ${reply.status} ${reply.text.slice(0, 200)}`;
      if (reply.status === 500 || (reply.status > 500 && !operation.statuses.includes(String(reply.status))))
        findings.push(words);
      if (reply.status < 400 && !isAllowed(operation, role)) findings.push(`beyond the role: ${words}`);
      if (reply.status === 401) findings.push(`not let in: ${words}`);
    }
    if (role === 'viewer' && String(await state(logins[0] ?? {})) !== String(before))
      findings.push('a viewer has changed something');
    const told = [...statuses].toSorted(([a], [b]) => a - b).map(([status, times]) => `${times} × ${status}`);
    say(`${role}: ${count} random requests: ${told.join(', ')}`);
  }
}

/** @type {string[]} */
const findings = [];
const started = await startWithThreeUsers(os.tmpdir());
try {
  const [admin] = started.loginsOf('admin');
  const headers = (await admin?.headers()) ?? {};
  const { text } = await send(started.service.url, { method: 'GET', target: '/openapi.json', headers });
  const document = JSON.parse(text);
  const operations = operationsOf(document);
  const tried = await tryMatrix(findings, started, operations);
  done(`${operations.length} routes, ${tried} requests`);
  await fuzz(findings, started, { document, operations });
} catch (error) {
  findings.push(String(error instanceof Error ? error.stack : error));
} finally {
  await started.service.end();
}
for (const finding of findings.slice(0, 50)) failed(finding);
if (findings.length === 0) done(`nothing beyond a role (seed ${options.seed})`);
else process.exitCode = 1;
