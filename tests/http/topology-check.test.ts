/** Checks of topologies, with the fake lab CLI, which does what comments of the topology say. */
import { expect, test } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { People } from '../support/people.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';

const checksOf = ({ ground }: Pick<RunningService, 'ground'>): string => path.join(ground.dataDir, 'checks');
const check = async (service: RunningService, body: object, query = '') =>
  service.request(`/topologies/check${query}`, { method: 'POST', body });
const put = async (service: RunningService, target: string, body?: unknown) =>
  service.request(target, { method: 'PUT', body });
/** All that a check could leave. */
const left = (service: RunningService): unknown[] => [
  ...readdirSync(checksOf(service)),
  ...processesWith(`FAKE_LAB_STATE=${service.ground.env['FAKE_LAB_STATE']}`),
];

test('tells what is wrong, and where, and leaves nothing', async () => {
  const service = await startService();
  const good = await check(service, { topology: topologyThat('pwd', 'touch made') });
  expect([good.status, good.json]).toEqual([200, { cli: 'netlab', valid: true, problems: [] }]);
  const wrong = { topology: 'nodes: [r1]\nlinks:\n- r1-r1\n- r1-nosuch\n' };
  const { json } = await check(service, wrong);
  expect(json).toEqual({
    cli: 'netlab',
    valid: false,
    problems: [
      {
        line: 4,
        column: 3,
        node: null,
        link: 2,
        message: 'Link string r1-nosuch in links[2] refers to an unknown node nosuch',
        severity: 'error',
      },
    ],
  });
  expect(left(service)).toEqual([]);
  expect((await service.get('/jobs')).json.jobs).toEqual([]);
  expect((await service.get('/labs')).json.labs).toEqual([]);
  expect(statSync(checksOf(service)).mode & 0o777).toBe(0o711);
});

test('warnings do not make it wrong, and no message has the path of the check in it', async () => {
  const service = await startService();
  const print = (line: string): string => `echo "${line}" >&2`;
  const warned = await check(service, {
    topology: topologyThat(
      print('Warning in quirks: node r2 is slow'),
      print('Warning: look at $PWD/topology.yml'),
    ),
  });
  expect(warned.json.valid).toBe(true);
  expect(warned.json.problems).toMatchObject([
    { severity: 'warning', node: 'r2', line: 2, message: 'node r2 is slow' },
    { severity: 'warning', node: null, line: null, message: 'look at topology.yml' },
  ]);
  const broken = topologyThat(
    print("IncorrectType in nodes: attribute 'nodes' must be a map"),
    print('Traceback (most recent call last):'),
    print('KeyError: 3'),
    'exit 1',
  );
  expect((await check(service, { topology: broken })).json.problems).toMatchObject([
    { message: "attribute 'nodes' must be a map" },
    { message: 'KeyError: 3' },
  ]);
  const silent = await check(service, { topology: topologyThat('exit 4') });
  expect(silent.json.problems).toMatchObject([{ message: expect.stringContaining('exit code 4') }]);
});

test('refuses what is no request, and names the field', async () => {
  const service = await startService();
  const fields = async (body: object): Promise<unknown> => {
    const { status, json } = await check(service, body);
    return [status, json.errors.map(({ field }: { field: string }) => field)];
  };
  const topology = topologyThat();
  expect(await fields({})).toEqual([400, ['topology']]);
  expect(await fields({ topology, paht: 'a' })).toEqual([400, ['body']]);
  for (const at of ['../topology.yml', '/etc/passwd', '.', 'a\0b'])
    expect(await fields({ topology, path: at })).toEqual([400, ['path']]);
  expect(await fields({ topology, workspace: 'nothing' })).toEqual([404, ['workspace']]);
  expect((await check(service, { topology }, '?cli=other')).json.errors).toMatchObject([{ field: 'cli' }]);
  const long = await check(service, { topology: 'x'.repeat(1024 * 1024) });
  expect([long.status, long.json.code]).toEqual([413, 'payload-too-large']);
  expect((await check(service, { topology, path: '--plugin' })).json.valid).toBe(true);
});

test('has copies of the files of a workspace, which stays as it is', async () => {
  const service = await startService();
  await put(service, '/workspaces/course');
  for (const file of ['plugin.py', 'dir/more.yml', 'netlab.lock', 'topology.yml'])
    await put(service, `/workspaces/course/files/${file}`, 'old');
  const at = path.join(service.ground.dataDir, 'workspaces', 'course');
  const before = readdirSync(at, { recursive: true });
  const script = [
    'find . -type f | sort >&2',
    '[ "$(cat plugin.py dir/more.yml)" = oldold ] || exit 1',
    '[ -e netlab.lock ] && exit 1',
    '[ "${PWD##*/}" = course ] || exit 1',
    'echo new >plugin.py; rm -r dir',
  ];
  const asked = { topology: topologyThat(...script), workspace: 'course' };
  expect((await check(service, asked)).json).toMatchObject({ valid: true, problems: [] });
  expect((await check(service, { ...asked, path: 'dir/other.yml' })).json.valid).toBe(true);
  expect((await check(service, { ...asked, path: 'dir' })).json.errors).toMatchObject([{ field: 'path' }]);
  expect((await check(service, { ...asked, path: 'plugin.py/x.yml' })).json.code).toBe('invalid-request');
  expect(readdirSync(at, { recursive: true })).toEqual(before);
  expect(readFileSync(path.join(at, 'plugin.py'), 'utf8')).toBe('old');

  writeFileSync(path.join(at, 'disk.img'), Buffer.alloc(1024 * 1024 + 1));
  expect((await check(service, asked)).json).toMatchObject({
    valid: true,
    problems: [{ severity: 'warning', message: expect.stringContaining('without some files') }],
  });
  expect(left(service)).toEqual([]);
});

test('ends with its client, and with all that it has started', async () => {
  const service = await startService();
  const gone = new AbortController();
  const topology = topologyThat('setsid sleep 1000 &', 'setsid sh -c "sleep 1000" &', 'wait_for nothing');
  const asked = service.request('/topologies/check', {
    method: 'POST',
    body: { topology },
    signal: gone.signal,
  });
  await service.ground.waitsFor('nothing');
  expect(left(service)).not.toEqual([]);
  gone.abort();
  await asked.catch(() => undefined);
  await eventually('nothing is left', () => (left(service).length === 0 ? true : undefined));
});

test('two run at once, and a full queue is refused', async () => {
  const service = await startService();
  const asked = Array.from({ length: 17 }, async (_, at) =>
    check(service, { topology: topologyThat(`wait_for go-${Math.min(at, 2)}`) }),
  );
  const refused = await Promise.race(asked);
  expect([refused.status, refused.json.code]).toEqual([429, 'queue-full']);
  await service.ground.waitsFor('go-0');
  await service.ground.waitsFor('go-1');
  expect(readdirSync(checksOf(service))).toHaveLength(2);
  for (const gate of ['go-0', 'go-1', 'go-2']) service.ground.let(gate);
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(16);
});

test('a start removes what a service left that was killed', async () => {
  const ground = makeGround();
  const leftover = path.join(ground.dataDir, 'checks', 'abc', 'lab');
  mkdirSync(leftover, { recursive: true });
  writeFileSync(path.join(leftover, 'topology.yml'), '');
  const service = await startService({ ground });
  expect(existsSync(path.dirname(leftover))).toBe(false);
  expect((await check(service, { topology: topologyThat() })).json.valid).toBe(true);
});

test('a user checks what they may start, and one thing at a time', async () => {
  const ground = makeGround();
  const people = new People({
    alice: { role: 'operator' },
    bob: { role: 'operator', workdirs: [] },
    vera: { role: 'viewer' },
  });
  const env = { LAB_API_OWNERSHIP: 'strict' };
  const service = await startService({ ground, env, admit: people.admit });
  const as = async (name: string, body: object) =>
    service.request('/topologies/check', { method: 'POST', body, headers: people.as(name) });
  await service.request('/workspaces/hers', { method: 'PUT', headers: people.as('alice') });
  const [topology, workspace] = [topologyThat(), 'hers'];
  expect((await as('alice', { topology, workspace })).json.valid).toBe(true);
  expect((await as('bob', { topology, workspace })).json.code).toBe('workspace-not-found');
  expect((await as('bob', { topology })).json.valid).toBe(true);
  expect((await as('vera', { topology })).json.code).toBe('forbidden');

  const all = ['go-1', 'go-2'].map(async (gate) =>
    as('alice', { topology: topologyThat(`wait_for ${gate}`) }),
  );
  await ground.waitsFor('go-1');
  expect((await as('bob', { topology })).json.valid).toBe(true);
  expect(readdirSync(checksOf(service))).toHaveLength(1);
  for (const gate of ['go-1', 'go-2']) ground.let(gate);
  expect((await Promise.all(all)).map(({ json }) => json.valid)).toEqual([true, true]);
});
