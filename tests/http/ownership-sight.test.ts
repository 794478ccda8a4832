/** What a user with `workdirs` gets to know, and what of it does not give away what others do. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EventReader } from '../support/event-reader.ts';
import { People } from '../support/people.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';

const ground = makeGround();
const mine = ground.makeWorkdir('mine');
const secret = ground.makeWorkdir('secret-place');
const people = new People({
  ann: { role: 'admin' },
  nick: { role: 'operator', workdirs: [mine] },
  vic: { role: 'viewer', workdirs: [mine] },
});
const [ann, nick] = [people.as('ann'), people.as('nick')];
const env = { FAKE_LAB_LOGS: '1', LAB_API_MCP: 'true' };
let service: RunningService;

async function up(workdir: string, multilabId: number, headers: Record<string, string>): Promise<string> {
  const id = await service.start({ action: 'up', workdir, topology: topologyThat(), multilabId }, headers);
  const { json } = await service.request(`/jobs/${id}?wait=30`, { headers });
  expect(json).toMatchObject({ state: 'success' });
  return id;
}

const jobs = { foreign: '', own: '' };

beforeAll(async () => {
  service = await startService({ ground, env, admit: people.admit });
  jobs.foreign = await up(secret, 7, ann);
  jobs.own = await up(mine, 8, nick);
  await service.request('/workspaces/secret-course', { method: 'PUT', headers: ann });
  await service.request('/workspaces/course', { method: 'PUT', headers: nick });
});

const get = async (target: string, headers = nick) => service.request(target, { headers });
const post = async (body: unknown, headers = nick) =>
  service.request('/jobs', { method: 'POST', body, headers });

/** The job at its end. */
const ended = async (id: string, headers: Record<string, string>) =>
  expect((await get(`/jobs/${id}?wait=30`, headers)).json.finishedAt).not.toBeNull();

describe('lists and counts', () => {
  test.each([
    ['/jobs', ann, 2],
    ['/jobs', nick, 1],
    ['/labs', ann, 2],
    ['/labs', nick, 1],
    ['/workspaces', ann, 2],
    ['/workspaces', nick, 1],
  ] as const)('%s', async (target, headers, count) => {
    const { json, text } = await get(target, headers);
    const [list] = Object.values(json as Record<string, unknown[]>);
    expect(list).toHaveLength(count);
    if (headers === nick) expect(text).not.toContain('secret');
  });

  test('pages of jobs have what may be seen, and no gaps', async () => {
    const before = await service.start({ action: 'status' }, ann);
    const first = await get('/jobs?limit=1');
    expect(first.json).toMatchObject({ jobs: [{ id: jobs.own }], nextCursor: null });
    expect((await get('/jobs?limit=1', ann)).json).toMatchObject({ jobs: [{ id: before }] });
  });

  test('the status of the lab CLI, in both forms', async () => {
    expect(Object.keys((await get('/status?output=json')).json as object)).toEqual(['8']);
    const text = await get('/status?output=text');
    expect(text.text).toContain(mine);
    expect(text.text).not.toContain('secret');
    expect(Object.keys((await get('/status?output=json', ann)).json as object)).toEqual(['7', '8']);
  });

  test('templates of the own directory, where none is named', async () => {
    writeFileSync(path.join(mine, 'lab.yml'), topologyThat());
    expect((await get('/templates')).json).toMatchObject({ templates: [{ name: 'lab.yml' }] });
    expect(await get(`/templates?dir=${secret}`)).toMatchObject({
      status: 403,
      json: { code: 'forbidden-path' },
    });
  });
});

describe('what is not there and what may not be seen', () => {
  test.each([
    [
      'a job',
      (name: string) => `/jobs/${name === 'foreign' ? jobs.foreign : jobs.foreign.replace(/.{3}$/, 'abc')}`,
    ],
    [
      'a log',
      (name: string) =>
        `/jobs/${name === 'foreign' ? jobs.foreign : jobs.foreign.replace(/.{3}$/, 'abc')}/log`,
    ],
    ['a lab', (name: string) => `/labs/${name === 'foreign' ? 7 : 9}`],
    ['a status', (name: string) => `/status/${name === 'foreign' ? 7 : 9}`],
    ['a node', (name: string) => `/labs/${name === 'foreign' ? 7 : 9}/nodes/r1/log`],
    ['a workspace', (name: string) => `/workspaces/secret-${name === 'foreign' ? 'course' : 'coarse'}`],
    ['a file', (name: string) => `/workspaces/secret-${name === 'foreign' ? 'course' : 'coarse'}/files/a`],
  ] as const)('%s: the same answer, but for the name', async (_what, targetOf) => {
    const plain = ({ status, json }: { status: number; json: Record<string, unknown> }) => {
      const { requestId: _id, instance: _target, ...rest } = json;
      const text = JSON.stringify(rest).replaceAll(/\\"[^"\\]*\\"/g, 'NAME');
      return { status, text };
    };
    const foreign = plain(await get(targetOf('foreign')));
    expect(foreign).toEqual(plain(await get(targetOf('absent'))));
    expect(foreign.status).toBe(404);
  });

  test.each([
    ['a directory that is there', () => ({ workdir: secret })],
    ['a directory that is not', () => ({ workdir: `${secret}-2` })],
    [
      'a link to it',
      () => {
        symlinkSync(secret, path.join(mine, 'link'));
        return { workdir: path.join(mine, 'link') };
      },
    ],
    ['a topology', () => ({ workdir: mine, topologyPath: path.join(secret, 'topology.yml') })],
    ['configurations', () => ({ workdir: mine, topology: topologyThat(), reloadConfig: secret })],
    [
      'a snapshot',
      () => {
        const place = path.join(mine, 'sub');
        mkdirSync(place);
        writeFileSync(path.join(secret, 'snapshot'), '{}');
        symlinkSync(path.join(secret, 'snapshot'), path.join(place, 'netlab.snapshot.pickle'));
        return { workdir: place, snapshot: true };
      },
    ],
  ] as const)('a job may not name %s', async (_what, fieldsOf) => {
    const reply = await post({ action: 'up', ...fieldsOf() });
    expect(reply).toMatchObject({ status: 403, json: { code: 'forbidden-path' } });
    expect(reply.json.detail).not.toMatch(/there is no|not a directory/);
  });

  test('a job may not be about the lab, the workspace, or the list of all', async () => {
    expect(await post({ action: 'down', instance: '7' })).toMatchObject({ status: 404 });
    expect((await post({ action: 'down', instance: '7' })).text.replaceAll('7', '9')).not.toContain('secret');
    expect(await post({ action: 'up', workspace: 'secret-course', topology: topologyThat() })).toMatchObject({
      status: 404,
      json: { code: 'workspace-not-found' },
    });
    expect(await post({ action: 'status', workdir: mine })).toMatchObject({
      status: 403,
      json: { code: 'forbidden' },
    });
    expect(await post({ action: 'status' })).toMatchObject({ status: 403 });
    expect(await post({ action: 'status', instance: '7', workdir: mine })).toMatchObject({ status: 403 });
  });

  test('an instance is not told to the lab CLI when nobody can tell where it lives', async () => {
    ground.onStatus('echo "cannot read /labs/secret-place" >&2; exit 3');
    const other = await startService({
      ground: { ...ground, dataDir: `${ground.dataDir}-2` },
      env: { ...env, LAB_API_DATA_DIR: `${ground.dataDir}-2` },
      admit: people.admit,
    });
    const request = { method: 'POST', body: { action: 'down', instance: '7', workdir: mine }, headers: nick };
    const reply = await other.request('/jobs', request);
    expect(reply).toMatchObject({ status: 502, json: { code: 'lab-cli-failed' } });
    const status = await other.request('/status', { headers: nick });
    expect(status).toMatchObject({ status: 502, json: { code: 'lab-cli-failed' } });
    expect(status.text + reply.text).not.toContain('secret');
    ground.onStatus('');
    await other.stop();
  });
});

describe('events', () => {
  test('tell of what may be seen, now and later, and nothing else', async () => {
    const reader = new EventReader(await service.open('/events', { headers: nick }));
    const known = await reader.until('ready');
    expect(JSON.stringify(known)).not.toMatch(/secret|job-.*"instance":"7"/);
    const [hidden, shown] = [
      await service.start({ action: 'collect', workdir: secret }, ann),
      await service.start({ action: 'collect', workdir: mine }, ann),
    ];
    await ended(hidden, ann);
    const seen: unknown[] = [];
    for (;;) {
      const event = await reader.next();
      seen.push(event);
      if (event?.data.job?.id === shown && event.data.job.finishedAt !== null) break;
    }
    reader.close();
    expect(JSON.stringify(seen)).not.toContain(hidden);
    expect(JSON.stringify(seen)).not.toContain('secret');
  });

  test('resumed ones too', async () => {
    const admin = new EventReader(await service.open('/events', { headers: ann }));
    const last = (await admin.until('ready')).at(-1)?.id ?? '';
    admin.close();
    const hidden = await service.start({ action: 'collect', workdir: secret }, ann);
    await ended(hidden, ann);
    const shown = await service.start({ action: 'collect', workdir: mine }, nick);
    const again = await service.open(`/events?after=${encodeURIComponent(last)}`, { headers: nick });
    const reader = new EventReader(again);
    const first = await reader.next();
    expect(first?.data.job.id).toBe(shown);
    reader.close();
  });
});

describe('what somebody owns elsewhere', () => {
  test('is in sight once it is his, and out of sight when he gives it away', async () => {
    const give = async (owner: string, headers: Record<string, string>) =>
      service.request('/labs/7/owner', { method: 'PUT', body: { owner }, headers });
    expect(await give('nick', nick)).toMatchObject({ status: 404 });
    expect(await give('nick', ann)).toMatchObject({ status: 200, json: { owner: 'nick' } });
    expect((await get('/labs/7')).json).toMatchObject({ owner: 'nick', workdir: secret, jobs: [] });
    const collect = await post({ action: 'collect', instance: '7' });
    expect(collect).toMatchObject({ status: 202, json: { workdir: secret } });
    await ended(String(collect.json.id), nick);
    expect(await give('ann', nick)).toMatchObject({ status: 200 });
    expect(await post({ action: 'collect', instance: '7' })).toMatchObject({ status: 404 });
    expect(await get('/labs/7')).toMatchObject({ status: 404 });
  });

  test('a job brings its workspace along, and works there', async () => {
    const body = { action: 'create', workspace: 'brought', topology: topologyThat() };
    const reply = await post(body);
    expect(reply).toMatchObject({ status: 202, json: { workspace: 'brought', requestedBy: 'nick' } });
    expect(await post({ ...body, workspace: 'auto' })).toMatchObject({ status: 202 });
    await ended(String(reply.json.id), nick);
    expect((await get('/workspaces/brought')).json).toMatchObject({ owner: 'nick' });
  });

  test('a workspace hides what ran in the one before it of that name', async () => {
    const put = async (headers: Record<string, string>) =>
      service.request('/workspaces/again', { method: 'PUT', headers });
    const remove = async (headers: Record<string, string>) =>
      service.request('/workspaces/again', { method: 'DELETE', headers });
    expect(await put(ann)).toMatchObject({ status: 201 });
    const before = await service.start(
      { action: 'create', workspace: 'again', topology: topologyThat() },
      ann,
    );
    await ended(before, ann);
    expect(await put(nick)).toMatchObject({ status: 403, json: { code: 'forbidden' } });
    expect(await remove(ann)).toMatchObject({ status: 204 });
    expect(await put(nick)).toMatchObject({ status: 201 });
    expect(await get(`/jobs/${before}`)).toMatchObject({ status: 404 });
    const own = await service.start({ action: 'create', workspace: 'again', topology: topologyThat() }, ann);
    await ended(own, ann);
    expect(await get(`/jobs/${own}`)).toMatchObject({ status: 200, json: { requestedBy: 'ann' } });
    for (const user of ['ann', 'nick']) {
      const { json } = await get(`/jobs?requestedBy=${user}`);
      expect(new Set(json.jobs.map((job: { requestedBy: string }) => job.requestedBy))).toEqual(
        new Set([user]),
      );
    }
  });
});

test('whether the service is ready is told without its directories', async () => {
  expect((await get('/readyz', ann)).text).toContain(ground.dataDir);
  expect((await get('/readyz')).text).not.toContain(ground.root);
});

describe('an assistant', () => {
  const call = async (name: string, input: object, headers: Record<string, string>) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
    const accept = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
    return (await service.request('/mcp', { method: 'POST', body, headers: { ...accept, ...headers } })).text;
  };

  test('sees and does what its user may', async () => {
    expect(await call('list_labs', {}, ann)).toContain('secret');
    const seen = await call('list_labs', {}, nick);
    expect(seen).toContain(mine);
    expect(seen).not.toContain('secret');
    expect(await call('lab_status', { lab: '7' }, nick)).toContain('instance-not-found');
    expect(
      await call('run_in_node', { lab: '8', node: 'r1', command: ['true'] }, people.as('vic')),
    ).toContain('forbidden');
  });
});

test('metrics have no names of users, directories or labs', async () => {
  const { text } = await get('/metrics', people.as('vic'));
  expect(text).not.toMatch(/secret|nick|ann\b|mine/);
});

afterAll(async () => service.stop());
