/** Leases, owners, ids and events where a service has several lab CLIs. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { follow, until } from '../support/followed-events.ts';
import { fixtureProgram } from '../support/programs.ts';
import {
  makeGround,
  startService,
  topologyThat,
  type Ground,
  type RunningService,
} from '../support/service.ts';

const clis = [fixtureProgram('fake-netlab'), fixtureProgram('fake-clab/containerlab'), 'engine'];

let ground: Ground;
let service: RunningService;
/** With a lab of containerlab. */
let workdir = '';

beforeEach(async () => {
  ground = makeGround();
  service = await startService({
    ground,
    env: {
      LAB_API_CLI: undefined,
      LAB_API_CLIS: clis.join(','),
      FAKE_LAB_LOGS: '1',
      LAB_HOME: path.join(ground.root, 'engine'),
    },
  });
  workdir = ground.makeWorkdir('of-containerlab');
  writeFileSync(path.join(workdir, 'one.clab.yml'), 'name: one\ntopology: { nodes: { h1: {} } }\n');
});
afterEach(async () => service.stop());

const up = { action: 'up', cli: 'containerlab' } as const;

async function run(body: Readonly<Record<string, unknown>>) {
  return service.ended(await service.start(body));
}

test('a lab whose time is over is taken down by its own lab CLI', async () => {
  const { id } = await run({ ...up, workdir, ttlSeconds: 3600 });
  const leased = await eventually('the lease', async () => {
    const { json } = await service.get('/labs/one');
    return json.expiresAt === null ? undefined : json;
  });
  expect(leased).toMatchObject({ cli: 'containerlab', owner: null });
  const change = { method: 'PATCH', body: { ttlSeconds: 0.2 } } as const;
  expect(await service.request('/labs/one?cli=netlab', change)).toMatchObject({ status: 404 });
  expect(await service.request('/labs/one?cli=containerlab', change)).toMatchObject({ status: 200 });
  const down = await eventually('its down', async () => {
    const { jobs } = (await service.get('/jobs?action=down')).json;
    return (jobs as { id: string; leaseOf: string }[]).find(({ leaseOf }) => leaseOf === id);
  });
  expect(await service.ended(down.id)).toMatchObject({ state: 'success', cli: 'containerlab' });
});

test('events of labs say whose they are', async () => {
  const reader = await follow(service, '?types=lab');
  const id = await service.start({ ...up, workdir });
  const events = await until(reader, ({ event, data }) => event === 'lab' && data.lab.instance === 'one');
  expect(events.at(-1)?.data).toMatchObject({
    change: 'appeared',
    lab: { cli: 'containerlab', directory: workdir },
  });
  await service.ended(id);
});

describe('free ids', () => {
  const claims = (home: string): readonly string[] => {
    const directory = path.join(home, 'lab-api', 'ids');
    return existsSync(directory) ? readdirSync(directory).filter((name) => /^\d+\.json$/.test(name)) : [];
  };

  test('are kept with the state of the lab CLI that they are for', async () => {
    const place = ground.makeWorkdir('of-netlab');
    const { instance } = await run({
      action: 'up',
      workdir: place,
      topology: topologyThat(),
      multilabId: 'auto',
    });
    expect(claims(path.join(ground.env['HOME'] ?? '', '.netlab'))).toEqual([`${instance}.json`]);
    expect(claims(path.join(ground.root, 'engine'))).toEqual([]);
    expect((await service.get(`/labs/${instance}`)).json).toMatchObject({ cli: 'netlab', workdir: place });
  });

  test('are no option of one that has none', async () => {
    const reply = await service.post('/jobs', { ...up, workdir, multilabId: 'auto' });
    expect(reply).toMatchObject({ status: 400, json: { errors: [{ field: 'multilabId' }] } });
  });
});

test('each lab CLI tells its own status, also one without labs', async () => {
  await run({ ...up, workdir });
  expect((await service.get('/status?cli=engine')).json).toHaveProperty('warning');
  expect((await service.get('/status?cli=containerlab&output=text')).text).toContain('clab-one-h1');
  expect((await service.get('/labs?cli=engine')).json).toMatchObject({ labs: [] });
});

test('what lies outside the allowed directories is refused, and nothing is said of the lab there', async () => {
  await run({ ...up, workdir });
  await service.stop();
  service = await startService({
    ground,
    env: { LAB_API_CLI: undefined, LAB_API_CLIS: clis.join(','), LAB_API_ROOTS: ground.workdir },
  });
  expect(await service.post('/jobs', { action: 'down', instance: 'one' })).toMatchObject({
    status: 403,
    json: { code: 'forbidden-path' },
  });
  const wrong = await service.post('/jobs', { action: 'down', instance: 'one', cli: 'netlab' });
  expect(wrong).toMatchObject({ status: 404, json: { code: 'instance-not-found' } });
  expect(wrong.text).not.toContain(workdir);
});

test('a name that is too long to be that of a lab CLI is not repeated', async () => {
  const cli = 'x'.repeat(64);
  for (const reply of [await service.get(`/labs?cli=${cli}`), await service.post('/jobs', { ...up, cli })])
    expect(reply).toMatchObject({ status: 400, json: { error: 'cli: must not be over 63 characters' } });
});

test('an up that finds the topology of another lab CLI alone says what to send', async () => {
  expect(await service.post('/jobs', { action: 'up', workdir })).toMatchObject({
    status: 400,
    json: { error: expect.stringMatching(/; one\.clab\.yml is there, .* needs "cli": "containerlab"$/) },
  });
});
