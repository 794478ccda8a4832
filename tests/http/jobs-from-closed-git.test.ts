/** Repositories that need a login, which the service has from its settings. */
import { expect } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gitMissing, startGitServer, type GitServer } from '../support/git-server.ts';
import { MemoryLogger } from '../support/memory-logger.ts';
import { expectProblem } from '../support/problem.ts';
import { testUnless } from '../support/requirements.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';
import { usersFile, usersWithTokens } from '../support/users-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { it, because } = testUnless(gitMissing);
const root = temporaryDirectory();
const topology = topologyThat();

const start = async (url: string, on: RunningService): ReturnType<RunningService['post']> =>
  on.post('/jobs', { action: 'create', source: { git: url } });

it(`logins go to their host alone, and stand nowhere else${because}`, async () => {
  const [user, secret] = ['course-bot', 'glpat-very%secret'];
  const login = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
  const seen: string[] = [];
  const door = await startGitServer(root);
  const backend = door.repository('lab.git');
  backend.commit({ 'topology.yml': topology });
  const log = new MemoryLogger();
  const { port } = new URL(door.url);
  const wide = 'Basic ' + Buffer.from('any:one').toString('base64');
  const credentials = [
    // For all repositories of the host; the login with the longer path comes in its place.
    `https://any:one@127.0.0.1:${port}`,
    `https://${user}:${encodeURIComponent(secret)}@127.0.0.1:${port}/lab.git`,
    'https://else:where@other.example',
  ].join('\n');
  const on = await startService({
    log,
    env: { ...door.env, LAB_API_GIT_CREDENTIALS: credentials, LAB_API_LOG_LEVEL: 'debug' },
  });
  const without = await startService({ env: { ...door.env } });
  const isOpen = (header: string | undefined): boolean => header === login;
  const handler: NonNullable<GitServer['answer']> = (req, res) => {
    seen.push(String(req.headers.authorization));
    if (isOpen(req.headers.authorization)) return door.backend(req, res);
    return void res.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end();
  };
  door.answer = handler;
  const refused = await start(`${door.url}lab.git`, without);
  expectProblem(refused, 502, 'source-failed');
  expect(refused.json.detail).toContain('LAB_API_GIT_CREDENTIALS has none for this URL');
  const accepted = await start(`${door.url}lab.git`, on);
  expect(accepted.status).toBe(202);
  await on.ended(accepted.json.id);
  // Another repository of the host does not get it.
  const elsewhere = await start(`${door.url}other.git`, on);
  expectProblem(elsewhere, 502, 'source-failed');
  expect(elsewhere.json.detail).toContain('refuses the login that LAB_API_GIT_CREDENTIALS has for this URL');
  expect(seen.filter((one) => one !== login)).toEqual(['undefined', wide]);
  const everything = [
    JSON.stringify(log.entries),
    accepted.text,
    elsewhere.text,
    ...readdirSync(on.ground.dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1')),
  ].join('\n');
  for (const word of [secret, encodeURIComponent(secret), login.slice(6)])
    expect(everything).not.toContain(word);
});

it(`files count for the owner of the workspace, whose use only they see${because}`, async () => {
  const { users, as } = usersWithTokens({ sue: 'operator', sam: 'operator' });
  const server = await startGitServer(root);
  server.repository('large.git').commit({ 'topology.yml': topology, picture: Buffer.alloc(20_000, 7) });
  const quotas = { roles: { operator: { workspaces: '10kB' } } };
  const file = usersFile(root, JSON.stringify({ users, quotas }));
  const service = await startService({ env: { ...server.env, LAB_API_USERS_FILE: file } });
  const ask = async (user: string, method: string, target: string, body?: unknown) =>
    service.request(target, { method, headers: as(user), ...(body !== undefined && { body }) });
  await ask('sue', 'PUT', '/workspaces/shared');
  const shares = [{ kind: 'user', name: 'sam', as: 'operator' }];
  expect((await ask('sue', 'PUT', '/workspaces/shared/shares', { shares })).status).toBe(200);
  const body = { action: 'create', workspace: 'shared', source: { git: `${server.url}large.git` } };
  const own = await ask('sue', 'POST', '/jobs', body);
  expectProblem(own, 403, 'over-quota');
  expect(own.json.quota).toMatchObject({ name: 'sue', resource: 'workspaceBytes', limit: 10_000 });
  const ofOther = await ask('sam', 'POST', '/jobs', body);
  expectProblem(ofOther, 403, 'over-quota');
  expect(ofOther.json.quota).toBeUndefined();
  expect(ofOther.json.detail).not.toMatch(/\d/);
});
