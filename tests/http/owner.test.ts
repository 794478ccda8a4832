/** PUT /labs/{id}/owner and /workspaces/{name}/owner: whose something is from now on. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { People } from '../support/people.ts';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';

const people = new People({ ann: { role: 'admin' }, bob: { role: 'operator' } });
const [ann, bob] = [people.as('ann'), people.as('bob')];
const env = { FAKE_LAB_LOGS: '1', LAB_API_STATUS_MAX_AGE: '1h' };
const ground = makeGround();

let service: RunningService;
beforeAll(async () => {
  service = await startService({ ground, env, admit: people.admit, client: { headers: ann } });
  for (const multilabId of [7, 8]) await up(service, multilabId);
  for (const name of ['one', 'two']) await service.request(`/workspaces/${name}`, { method: 'PUT' });
});

async function up(on: RunningService, multilabId: number): Promise<void> {
  const workdir = on.ground.makeWorkdir(`lab-${multilabId}`);
  const id = await on.start({ action: 'up', workdir, topology: topologyThat(), multilabId });
  expect(await on.ended(id)).toMatchObject({ state: 'success' });
}

const give = async (what: string, body: unknown, headers = ann) =>
  service.request(`/${what}/owner`, { method: 'PUT', body, headers });
const ownerOf = async (what: string): Promise<unknown> => (await service.get(`/${what}`)).json.owner;

describe.each([
  ['a lab', 'labs/8', 'labs/7'],
  ['a workspace', 'workspaces/two', 'workspaces/one'],
])('%s', (_what, given, other) => {
  test.each([
    ['a user', 'bob'],
    ['somebody whom nobody knows', 'Zoë'],
    ['somebody with the longest name', 'x'.repeat(256)],
    ['nobody', null],
  ])('is given to %s, and no other is', async (_whom, owner) => {
    expect(await give(given, { owner })).toMatchObject({ status: 200, json: { owner } });
    expect(await ownerOf(given)).toBe(owner);
    expect(await ownerOf(other)).toBe('ann');
  });

  test.each([
    [{}, 'owner'],
    [{ owner: '' }, 'owner'],
    [{ owner: 'x'.repeat(257) }, 'owner'],
    [{ owner: ['bob'] }, 'owner'],
    [{ owner: 'bob', force: true }, 'body'],
    ['bob', 'body'],
  ])('is not given away by %j', async (body, field) => {
    const before = await ownerOf(other);
    const reply = await give(other, JSON.stringify(body));
    expectProblem(reply, 400, 'invalid-request');
    expect(wrongFields(reply)).toEqual([field]);
    expect(await ownerOf(other)).toBe(before);
  });
});

test.each([
  ['labs/9', 'instance-not-found'],
  ['labs/constructor', 'instance-not-found'],
  ['workspaces/three', 'workspace-not-found'],
])('%s, which is not there, is 404', async (what, code) => {
  expectProblem(await give(what, { owner: 'bob' }), 404, code);
});

test('a lab that was started a moment ago, from a shell, is given away as well', async () => {
  await service.get('/labs');
  const state = ground.env['FAKE_LAB_STATE'] ?? '';
  writeFileSync(path.join(state, 'started-shell'), `${new Date().toISOString()}: starting lab`);
  writeFileSync(path.join(state, 'instances', 'shell'), `${ground.makeWorkdir('of-a-shell')}\n`);
  expect(await give('labs/shell', { owner: 'bob' })).toMatchObject({ status: 200 });
  const { json } = await service.request('/labs/shell', { headers: { ...bob, 'Cache-Control': 'no-cache' } });
  expect(json).toMatchObject({ id: 'shell', owner: 'bob' });
});

test('a lab of which nobody can tell when it was started keeps its owner', async () => {
  const plain = await startService({ admit: people.admit, client: { headers: ann } });
  await up(plain, 7);
  const reply = await plain.request('/labs/7/owner', { method: 'PUT', body: { owner: 'bob' } });
  expectProblem(reply, 409, 'conflict');
  expect(reply.json.detail).toContain('does not tell this lab from the next one');
});
