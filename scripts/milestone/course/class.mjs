/** A class that shares a server: its users, and what they ask of the service. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { endOf as endOfJob } from '../../lib/http.mjs';
import { must } from '../../lib/words.mjs';
import { root, url } from '../stage.mjs';

/** `workspace` is that of the lab. @typedef {{ name: string, token: string, workspace?: string }} User */
/** @typedef {{ id: string, workdir: string, workspace: string, owner: string }} Lab */

/** @param {string} name @param {number} at @returns {User} */
export function userNamed(name, at) {
  const id = at.toString(16).padStart(8, '0');
  return { name, token: `tok_${id}_${randomBytes(32).toString('base64url')}` };
}

/**
 * The users file of a class that the teacher leads; the stranger is in no class.
 * @param {{ admin: User, teacher: User, stranger: User, students: readonly User[], together: number }} class
 */
export function writeUsers({ admin, teacher, stranger, students, together }) {
  const entry = (/** @type {User} */ { name, token }, /** @type {string} */ role) => ({
    name,
    role,
    // Only their own workspaces.
    ...(role === 'operator' && { workdirs: [] }),
    tokens: [{ id: token.slice(0, 12), sha256: createHash('sha256').update(token).digest('hex') }],
  });
  const users = [
    entry(admin, 'admin'),
    ...[teacher, stranger, ...students].map((user) => entry(user, 'operator')),
  ];
  const each = { labs: 1, nodes: 2, jobs: 2, workspaces: '1MiB', lease: '8h' };
  const quotas = { each, together: { labs: together } };
  const members = students.map(({ name }) => name);
  const groups = [{ name: 'class', members, leaders: [teacher.name], quotas }];
  const access = path.join(root, 'access');
  mkdirSync(access, { mode: 0o700 });
  const file = path.join(access, 'users.yaml');
  writeFileSync(file, JSON.stringify({ users, groups }), { mode: 0o600 });
  return file;
}

/** @param {User} user @param {string} method @param {string} target @param {unknown} [body] */
export async function ask({ token }, method, target, body) {
  const reply = await fetch(`${url()}${target}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  const isJson = /json/.test(reply.headers.get('content-type') ?? '');
  return { status: reply.status, json: isJson ? JSON.parse(text) : {} };
}

/** The record of a job once it has ended well. @param {User} user @param {string} id */
export async function success({ name, token }, id) {
  const job = await endOfJob(url(), id, { Authorization: `Bearer ${token}` });
  must(job.state === 'success', `${job.action} of ${name} is ${job.state}: ${job.error}`);
  return job;
}

/** @param {User} user @param {{ action: string } & Record<string, unknown>} body */
export async function run(user, body) {
  const { status, json } = await ask(user, 'POST', '/jobs', body);
  must(status === 202, `${body.action} of ${user.name} is refused: ${json.detail}`);
  return success(user, json.id);
}

/** @param {User} user @returns {Promise<Lab[]>} */
export const labsOf = async (user) => (await ask(user, 'GET', '/labs')).json.labs;
