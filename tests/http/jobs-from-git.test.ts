/** Jobs whose files come from a repository: an HTTPS server of `git http-backend`, and the real `git` of the service. */
import { beforeAll, describe, expect } from '@jest/globals';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { startGitServer, gitMissing, type GitServer, type Repository } from '../support/git-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { expectProblem } from '../support/problem.ts';
import { scraped } from '../support/scraped.ts';
import { testUnless } from '../support/requirements.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

const { it, because } = testUnless(gitMissing);

const root = temporaryDirectory();
let server: GitServer;
let service: RunningService;
let course: Repository;
let commit: string;

const topology = topologyThat();
const git = (): string => `${server.url}course.git`;
const files = (workdir: string): string[] => readdirSync(workdir, { recursive: true }).map(String).toSorted();
const up = async (source: object, more: object = {}) =>
  service.post('/jobs', { action: 'up', source, ...more });
const workspaceNames = async (): Promise<string[]> =>
  (await service.get('/workspaces')).json.workspaces.map(({ name }: { name: string }) => name);
const inService = (...names: string[]): string[] =>
  readdirSync(path.join(service.ground.dataDir, 'workspaces', '.lab-api', ...names));

beforeAll(async () => {
  if (gitMissing !== undefined) return;
  server = await startGitServer(root);
  service = await startService({ env: server.env });
  course = server.repository('course.git');
  commit = course.commit({
    'README.md': 'a course',
    'labs/ospf/topology.yml': topology,
    'labs/ospf/check.sh': { mode: '100755', content: '#!/bin/sh\n' },
    'labs/ospf/parts/r1.j2': 'router ospf',
    'labs/bgp/topology.yml': topology,
    'big/picture': Buffer.alloc(300_000, 7),
  });
});

describe(`a job from Git${because}`, () => {
  it('runs in a new workspace with the files of the directory, and tells the commit', async () => {
    const reply = await up({ git: git(), ref: 'main', path: './labs/ospf/' });
    expect(reply.status).toBe(202);
    const source = { git: git(), ref: 'main', path: 'labs/ospf', commit };
    expect(reply.json).toMatchObject({ source, workspace: reply.json.id, warnings: [] });
    const { workdir } = await service.ended(reply.json.id);
    const ofLabCli = 'netlab.lock';
    expect(files(workdir)).toEqual(['check.sh', ofLabCli, 'parts', 'parts/r1.j2', 'topology.yml']);
    expect(statSync(path.join(workdir, 'check.sh')).mode & 0o777).toBe(0o755);
    expect(statSync(path.join(workdir, 'topology.yml')).mode & 0o777).toBe(0o644);
    expect((await service.get(`/workspaces/${reply.json.id}`)).json).toMatchObject({ source, owner: null });
    expect(inService('incoming')).toEqual([]);
    expect(inService('trash')).toEqual([]);
  });

  it('does not have the other files of the repository sent to it', async () => {
    const before = server.requests.length;
    const reply = await up({ git: git(), path: 'labs/bgp' });
    expect(reply.json.source).toEqual({ git: git(), ref: null, path: 'labs/bgp', commit });
    expect(server.requests.slice(before).some((request) => request.startsWith('POST'))).toBe(true);
    await service.ended(reply.json.id);
  });

  it('is counted with the time that the fetch took, also when it fails', async () => {
    const count = async (result: string) => scraped(service, 'lab_api_git_fetches_total', { result });
    const timed = async () => (await scraped(service, 'lab_api_git_fetch_duration_seconds_count')) ?? 0;
    const before = [await count('success'), await count('source-not-found'), await timed()];
    await service.ended((await up({ git: git(), path: 'labs/bgp' })).json.id);
    expectProblem(await up({ git: git(), ref: 'no-such-branch' }), 404, 'source-not-found');
    const after = [await count('success'), await count('source-not-found'), await timed()];
    expect(after.map((value, at) => (value ?? 0) - (before[at] ?? 0))).toEqual([1, 1, 2]);
  });

  it('takes a branch, a tag, a commit and a proposed change', async () => {
    const other = course.commit({ 'topology.yml': topology, new: 'x' }, 'refs/pull/12/head');
    course.git(['update-ref', 'refs/merge-requests/3/head', other]);
    course.git(['tag', '-a', '-m', 'first', 'v1', commit]);
    course.git(['update-ref', 'refs/heads/lab/ospf', other]);
    for (const [ref, wanted] of [
      ['pull/12', other],
      ['merge-requests/3', other],
      ['refs/pull/12/head', other],
      ['v1', commit],
      ['lab/ospf', other],
      [other, other],
    ]) {
      const reply = await up({ git: git(), ref, path: ref === 'v1' ? 'labs/bgp' : undefined });
      expect({ ref, commit: reply.json.source?.commit }).toEqual({ ref, commit: wanted });
      await service.ended(reply.json.id);
    }
  });

  it('may use the files as any job does: a topology in them, or a directory of them', async () => {
    const whole = await up({ git: git() }, { workdir: 'labs/ospf' });
    expect(whole.json.workdir).toBe(
      path.join(service.ground.dataDir, 'workspaces', whole.json.id, 'labs/ospf'),
    );
    expect((await service.ended(whole.json.id)).state).toBe('success');
    const again = await service.post(`/jobs/${whole.json.id}/retry`);
    expect(again.json.workdir).toBe(
      path.join(service.ground.dataDir, 'workspaces', again.json.id, 'labs/ospf'),
    );
    expect((await service.ended(again.json.id)).state).toBe('success');
    const named = await up({ git: git() }, { topologyPath: 'labs/bgp/topology.yml', workspace: 'whole' });
    expect(named.json.command.join(' ')).toContain(path.join('whole', 'labs/bgp/topology.yml'));
    expect((await service.ended(named.json.id)).state).toBe('success');
  });
});

describe(`the workspace of a job from Git${because}`, () => {
  const inCourse = async (more: object = {}) =>
    up({ git: git(), path: 'labs/ospf' }, { action: 'create', workspace: 'again', ...more });

  it('gets the newer files with the next job', async () => {
    const first = await inCourse();
    const { workdir } = await service.ended(first.json.id);
    course.commit({ 'labs/ospf/topology.yml': topology, 'labs/ospf/new': 'x' }, 'refs/heads/next');
    const second = await up(
      { git: git(), path: 'labs/ospf', ref: 'next' },
      { action: 'create', workspace: 'again' },
    );
    expect(second.status).toBe(202);
    expect(files(workdir)).toEqual(['new', 'topology.yml']);
    expect(inService('trash')).toEqual([]);
    await service.ended(second.json.id);
    const third = await service.post(`/jobs/${second.json.id}/retry`);
    expect(third.json).toMatchObject({ source: second.json.source, workspace: 'again' });
    await service.ended(third.json.id);
  });

  it('is as it was when the job is refused', async () => {
    const { workdir, id } = (await inCourse()).json;
    await service.ended(id);
    const before = files(workdir);
    const { source } = (await service.get('/workspaces/again')).json;
    const names = await workspaceNames();
    for (const workspace of ['again', 'auto', 'fresh']) {
      // Nothing there is a topology.
      const refused = await up({ git: git(), path: 'big' }, { workspace });
      expectProblem(refused, 400, 'invalid-request');
      expect(refused.json.detail).toContain('the directory "big" of the repository has none of ');
      expect(refused.json.detail).toContain('(--path)');
    }
    expect(await workspaceNames()).toEqual(names);
    expect(files(workdir)).toEqual(before);
    expect((await service.get('/workspaces/again')).json.source).toEqual(source);
    expect(readdirSync(path.join(service.ground.dataDir, 'workspaces', '.lab-api', 'records'))).not.toContain(
      'fresh.json',
    );
    expect(inService('incoming')).toEqual([]);
    expect(inService('trash')).toEqual([]);
  });

  it('is refused while it has files that people brought, or a job', async () => {
    await service.request('/workspaces/own', { method: 'PUT' });
    // Empty: nothing is lost.
    expect((await up({ git: git(), path: 'labs/ospf' }, { workspace: 'own', action: 'create' })).status).toBe(
      202,
    );
    await service.request('/workspaces/mine', { method: 'PUT' });
    await service.request('/workspaces/mine/files/notes', { method: 'PUT', body: 'x' });
    const refused = await up({ git: git(), path: 'labs/ospf' }, { workspace: 'mine' });
    expectProblem(refused, 409, 'workspace-busy');
    expect(refused.json.detail).toContain('did not come from Git');
    expect(refused.json.detail).toContain('DELETE /workspaces/mine');
    const waiting = course.commit({ 'topology.yml': topologyThat('wait_for go') }, 'refs/heads/waits');
    const first = await up({ git: git(), ref: waiting }, { workspace: 'busy' });
    await service.ground.waitsFor('go');
    const second = await up({ git: git(), ref: waiting }, { workspace: 'busy' });
    expectProblem(second, 409, 'workspace-busy');
    expect(second.json.conflictingJobId).toBe(first.json.id);
    service.ground.let('go');
    await service.ended(first.json.id);
  });

  it('is refused once a file was brought to it, whose commit it has no longer', async () => {
    await service.ended((await inCourse({ workspace: 'edited' })).json.id);
    const put = await service.request('/workspaces/edited/files/notes', { method: 'PUT', body: 'x' });
    expect(put.status).toBe(201);
    expect((await service.get('/workspaces/edited')).json.source).toBeNull();
    const refused = await inCourse({ workspace: 'edited' });
    expectProblem(refused, 409, 'workspace-busy');
    expect((await service.get('/workspaces/edited/files/notes')).text).toBe('x');
  });

  it('goes to one of two requests at once', async () => {
    const replies = await Promise.all([1, 2, 3].map(async () => inCourse({ workspace: 'raced' })));
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([202, 409, 409]);
    const accepted = replies.find(({ status }) => status === 202);
    await service.ended(accepted?.json.id);
  });

  it('gives the lab that lives there its commit', async () => {
    const reply = await up({ git: git(), path: 'labs/ospf' }, { workspace: 'lives' });
    await service.ended(reply.json.id);
    const { labs } = (await service.get('/labs')).json;
    const lab = labs.find(({ workspace }: { workspace: string }) => workspace === 'lives');
    expect(lab?.source).toEqual(reply.json.source);
  });
});

describe(`what has no place here${because}`, () => {
  it.each(['down', 'status', 'validate'])('a source of %s is refused', async (action) => {
    const { workdir } = service.ground;
    const refused = await service.post('/jobs', { action, workdir, source: { git: git() } });
    expectProblem(refused, 400, 'invalid-request');
    const message = 'belongs to "up" and "create": give "instance", "workspace" or "workdir" in its place';
    expect(refused.json.errors).toEqual([{ field: 'source', message }]);
  });

  it.each([
    ['http://course.example/a.git', 'must be an https URL'],
    ['file:///etc', 'must be an https URL'],
    ['/etc', 'must be an https URL'],
    ['ext::sh -c id', 'must be an https URL'],
    ['--upload-pack=id', 'must be an https URL'],
    ['git@course.example:a.git', 'must be an https URL'],
    ['https://user:secret@127.0.0.1/a.git', 'must not hold a user name or password'],
    ['https://127.0.0.1/a.git?token=secret', 'without a query'],
    ['https://course.example/\n[core]', 'must be an https URL'],
  ])('the URL %j is refused', async (url, why) => {
    const refused = await up({ git: url });
    expectProblem(refused, 400, 'invalid-request');
    expect(refused.json.errors).toMatchObject([
      { field: 'source.git', message: expect.stringContaining(why) },
    ]);
    expect(refused.text).not.toContain('secret');
  });

  it.each(['-x', '--upload-pack=id', '+main', 'a:b', '^main', 'a b', 'a\u0000', '', '*', 'main~1'])(
    'the ref %j is refused',
    async (ref) => {
      const refused = await up({ git: git(), ref });
      expectProblem(refused, 400, 'invalid-request');
      expect(refused.json.errors).toMatchObject([{ field: 'source.ref' }]);
    },
  );

  it.each([
    { ref: 'nothing' },
    { ref: '..' },
    { ref: 'a..b' },
    { ref: 'main@{1}' },
    { ref: '1'.repeat(40) },
    { ref: 'main.lock' },
    { ref: 'refs/heads/' },
    { path: 'labs/none' },
    { path: '../..' },
    { path: 'README.md' },
    { path: '-r' },
    { path: ':(top)labs' },
  ])('$ref$path is not found', async (more) => {
    const refused = await up({ git: git(), ...more });
    expectProblem(refused, 404, 'source-not-found');
    expect(inService('incoming')).toEqual([]);
  });

  it('an empty repository, and a page that is none, are named', async () => {
    server.repository('empty.git');
    const empty = await up({ git: `${server.url}empty.git` });
    expectProblem(empty, 404, 'source-not-found');
    expect(empty.json.detail).toBe(
      'source.git: the repository is empty, has no default branch, or is no Git repository',
    );
    server.answer = (_req, res) => void res.end('<html>\nwelcome\n</html>\n');
    const page = await up({ git: git() });
    server.answer = undefined;
    expectProblem(page, 404, 'source-not-found');
    expect(page.json.detail).toContain('something else than a Git repository');
  });

  it('a host that the administrator did not name is not asked, and none is when Git is off', async () => {
    const off = await startService();
    for (const [client, url] of [
      [service, 'https://localhost/a.git'],
      [service, 'https://127.0.0.1.example/a.git'],
      [off, git()],
    ] as const) {
      const refused = await client.post('/jobs', { action: 'up', source: { git: url } });
      expectProblem(refused, 403, 'forbidden-host');
      expect(refused.json.detail).toContain('LAB_API_GIT_HOSTS');
    }
  });

  it('a field that a source does not have is refused', async () => {
    const refused = await up({ git: git(), branch: 'main' });
    expectProblem(refused, 400, 'invalid-request');
    expect(existsSync(path.join(service.ground.dataDir, 'workspaces', 'branch'))).toBe(false);
    expect(readFileSync(path.join(service.ground.dataDir, 'format.json'), 'utf8')).toContain('format');
  });
});
