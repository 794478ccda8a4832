/** A service that three users may use, one of each role, and all the ways in which each of them logs in. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { must } from './words.mjs';
import { plainEnvironment, program, startService } from './service.mjs';

export const roles = /** @type {const} */ (['viewer', 'operator', 'admin']);

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
export async function startWithThreeUsers(directory, more = {}) {
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
    loginsOf: (/** @type {Role} */ role) => loginsOf(service.url, role, tokens.get(role) ?? ''),
  };
}

/** @param {string} url @param {Role} role @param {string} token @returns {Login[]} */
function loginsOf(url, role, token) {
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
