/** Records the requests about users, their tokens and their sessions. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const quotas = {
  roles: { admin: { labs: 8, workspaces: '1GiB' } },
  server: { labs: 40, nodes: 400 },
};

/** Makes a users file without users. @param {string} ground @returns {string} its path */
export function emptyUsersFile(ground) {
  const directory = path.join(ground, 'access');
  mkdirSync(directory, { mode: 0o700 });
  const file = path.join(directory, 'users.yaml');
  writeFileSync(file, `users: []\nquotas: ${JSON.stringify(quotas)}\n`, { mode: 0o600 });
  return file;
}

/** The settings of a server with an identity provider, which is not there. */
export const missingProvider = {
  LAB_API_PUBLIC_URL: 'https://lab.example.com',
  LAB_API_OIDC_ISSUER: 'http://127.0.0.1:65535',
  LAB_API_OIDC_CLIENT_ID: 'lab-api',
  LAB_API_OIDC_ROLES: 'viewer=*',
};

/** @param {import('./record.mjs').Recorder} recorder */
export async function recordUsers(recorder) {
  const password = 'correct horse battery';
  const bob = { name: 'bob', role: 'operator', password, workdirs: ['/labs'] };
  await recorder.ask('POST /users', { as: 'addUser', body: bob });
  await recorder.ask('PATCH /users/bob', { as: 'changeUser', body: { role: 'viewer' } });
  await recorder.ask('PUT /session/password', {
    as: 'changeOwnPassword',
    body: { currentPassword: password, newPassword: `${password} staple` },
    headers: { Authorization: `Basic ${Buffer.from(`bob:${password}`).toString('base64')}` },
  });
  const token = { user: 'bob', note: 'nightly', ttlSeconds: 7_776_000 };
  const { id } = await recorder.ask('POST /tokens', { as: 'addToken', body: token });
  await recorder.ask('GET /tokens', { as: 'listTokens' });
  await recorder.ask('GET /users', { as: 'listUsers' });
  await recorder.ask('GET /quotas', { as: 'getQuotas' });
  const { sessions } = await recorder.ask('GET /sessions', { as: 'listSessions' });
  await recorder.ask(`DELETE /sessions/${sessions[0].id}`, { as: 'endOneSession' });
  await recorder.ask(`DELETE /tokens/${id}`, { as: 'removeToken' });
  await recorder.ask('DELETE /users/bob', { as: 'removeUser' });
  await recorder.ask('POST /session/oidc/logout', { as: 'endProviderSession' });
  // Requests that are refused:
  await recorder.ask('GET /session/oidc');
  await recorder.ask('GET /session/oidc/callback?code=c&state=s');
  await recorder.ask('DELETE /users/bob');
  await recorder.ask(`DELETE /tokens/${id}`);
  await recorder.ask(`DELETE /sessions/${sessions[0].id}`);
}
