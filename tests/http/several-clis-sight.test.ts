/** Labs of one id, of two lab CLIs and two users: nobody comes by the id of his own lab to that of somebody else. */
import { beforeAll, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { People } from '../support/people.ts';
import { fixtureProgram } from '../support/programs.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';

const ground = makeGround();
const mine = ground.makeWorkdir('mine');
const secret = ground.makeWorkdir('secret-place');
const people = new People({ ann: { role: 'admin' }, nick: { role: 'operator', workdirs: [mine] } });
const [ann, nick] = [people.as('ann'), people.as('nick')];
const clis = [fixtureProgram('fake-netlab'), fixtureProgram('fake-clab/containerlab')];
let service: RunningService;

async function run(body: Readonly<Record<string, unknown>>, headers: Record<string, string>) {
  const id = await service.start(body, headers);
  return (await service.request(`/jobs/${id}?wait=30`, { headers })).json;
}

beforeAll(async () => {
  const env = { LAB_API_CLI: undefined, LAB_API_CLIS: clis.join(','), FAKE_LAB_LOGS: '1' };
  service = await startService({ ground, env, admit: people.admit });
  const up = { action: 'up', workdir: secret, topology: topologyThat(), multilabId: 7, ttlSeconds: 3600 };
  expect(await run(up, ann)).toMatchObject({ state: 'success', cli: 'netlab', instance: '7' });
  const place = ground.makeWorkdir('another');
  const topology = 'name: hidden\ntopology: { nodes: { h1: {} } }\n';
  expect(await run({ action: 'up', workdir: place, cli: 'containerlab', topology }, ann)).toMatchObject({
    state: 'success',
  });
  writeFileSync(path.join(mine, '7.clab.yml'), 'name: 7\ntopology: { nodes: { h1: {} } }\n');
  const own = { action: 'up', workdir: mine, cli: 'containerlab', ttlSeconds: 3600 };
  expect(await run(own, nick)).toMatchObject({ state: 'success', cli: 'containerlab', instance: '7' });
});

const get = async (target: string) => service.request(target, { headers: nick });

test.each(['', '?cli=containerlab'])('the lab, its status, its topology and its tests %s', async (query) => {
  expect((await get(`/labs/7${query}`)).json).toMatchObject({ cli: 'containerlab', workdir: mine });
  expect((await get(`/status/7${query}`)).text).not.toContain(secret);
  expect((await get(`/labs/7/topology${query}`)).json).toMatchObject({ nodes: [{ name: 'h1' }] });
});

test.each(['/labs/7/nodes/r1/log', '/labs/7/nodes/r1/interfaces/eth1/impairment'])('%s', async (target) => {
  expect(await get(target)).toMatchObject({ status: 404, json: { code: 'node-not-found' } });
});

test('its end', async () => {
  const patch = { method: 'PATCH', headers: nick, body: { ttlSeconds: 7200 } } as const;
  expect((await service.request('/labs/7', patch)).json).toMatchObject({ workdir: mine });
});

test('a job', async () => {
  expect(await run({ action: 'down', instance: '7' }, nick)).toMatchObject({
    cli: 'containerlab',
    state: 'success',
    workdir: mine,
  });
});

test('a lab that is not seen changes no answer', async () => {
  const ask = async (instance: string) => {
    // No option of netlab: whether it is refused says which lab CLI the job would be for.
    const body = { action: 'down', instance, graceful: true };
    const { status, json } = await service.request('/jobs', { method: 'POST', headers: nick, body });
    return { status, error: String(json.error).replaceAll(instance, 'ID') };
  };
  expect(await ask('hidden')).toEqual(await ask('nobody'));
});
