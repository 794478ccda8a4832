import { beforeAll, describe, expect, test } from '@jest/globals';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { makeGround, startService, type RunningService } from '../support/service.ts';

const ground = makeGround();
const dir = path.join(ground.root, 'templates');
const outside = path.join(ground.root, 'outside');
const example = path.resolve(__dirname, '../../examples/ospf/topology.yml');
let service: RunningService;

beforeAll(async () => {
  mkdirSync(path.join(dir, 'deep', 'deeper'), { recursive: true });
  mkdirSync(outside);
  copyFileSync(example, path.join(dir, 'ospf.yml'));
  copyFileSync(example, path.join(dir, 'deep', 'deeper', 'inner.yaml'));
  copyFileSync(example, path.join(outside, 'secret.yml'));
  writeFileSync(path.join(dir, 'broken.yml'), 'nodes: [a\nlinks: {');
  writeFileSync(path.join(dir, 'readme.txt'), 'no topology');
  symlinkSync(outside, path.join(dir, 'way-out'));
  service = await startService({ ground, env: { LAB_API_TEMPLATES_DIR: dir } });
});

test('the configured directory is listed, each file with what it is', async () => {
  const reply = await service.get('/templates');
  expect(reply.status).toBe(200);
  const [broken, ospf, ...others] = reply.json.templates;
  expect(others).toEqual([]);
  expect(broken).toMatchObject({ name: 'broken.yml', path: 'broken.yml', valid: false, nodes: null });
  expect(broken.error).toMatch(/\S/);
  expect(ospf).toMatchObject({
    name: 'ospf.yml',
    path: 'ospf.yml',
    topologyPath: path.join(dir, 'ospf.yml'),
    provider: 'clab',
    nodes: 4,
    links: 3,
    valid: true,
    error: null,
  });
  expect(ospf.modifiedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('dir chooses another directory, ~ is the home of the service', async () => {
  const names = (await service.get(`/templates?dir=${encodeURIComponent(outside)}`)).json.templates;
  expect(names).toMatchObject([{ name: 'secret.yml' }]);
  expect((await service.get('/templates?dir=~')).status).toBe(200);
  expect((await service.get('/templates?dir=')).json.templates).toHaveLength(2);
});

test.each([
  ['/no/such/directory', '/no/such/directory'],
  ['a file', example],
  ['the home of nobody', '~nobody/x'],
])('dir: %s is 404', async (_what, given) => {
  const reply = await service.get(`/templates?dir=${encodeURIComponent(given)}`);
  expectProblem(reply, 404, 'directory-not-found');
  expect(reply.json.detail).toContain(`there is no directory ${path.resolve(given)}`);
});

test('where no directory is configured, that in which the service runs is listed', async () => {
  const plain = await startService();
  const { json } = await plain.get('/templates');
  // Here it is this project, which has its docker-compose.yml there.
  expect(json.templates).not.toEqual([]);
  expect(json.templates).toEqual(
    (await plain.get(`/templates?dir=${encodeURIComponent(process.cwd())}`)).json.templates,
  );
});

test.each([
  ['dir=a%00b', 'dir'],
  ['dir=a&dir=b', 'dir'],
  ['recursive=yes', 'recursive'],
  ['recursive=true&recursive=true', 'recursive'],
])('?%s is 400', async (query, field) => {
  const reply = await service.get(`/templates?${query}`);
  expectProblem(reply, 400, 'invalid-request');
  expect(wrongFields(reply)).toEqual([field]);
});

describe('with LAB_API_ROOTS', () => {
  let confined: RunningService;
  beforeAll(async () => {
    const env = { LAB_API_ROOTS: dir, LAB_API_TEMPLATES_DIR: dir };
    confined = await startService({ ground: { ...makeGround(), workdir: dir }, env });
  });

  test('inside is listed', async () => {
    expect((await confined.get('/templates')).status).toBe(200);
    expect((await confined.get(`/templates?dir=${encodeURIComponent(path.join(dir, 'deep'))}`)).status).toBe(
      200,
    );
  });

  test.each([
    ['/etc', '/etc'],
    ['/', '/'],
    ['..', '..'],
    ['/no/such/directory', '/no/such/directory'],
    ['the one above', path.join(dir, '..')],
    ['a link that leads out', path.join(dir, 'way-out')],
    ['one whose name begins like that of an allowed one', `${dir}-sibling`],
  ])('dir: %s is 403, whether it exists or not', async (_what, given) => {
    const reply = await confined.get(`/templates?dir=${encodeURIComponent(given)}`);
    expectProblem(reply, 403, 'forbidden-path');
    expect(wrongFields(reply)).toEqual(['dir']);
  });

  test('jobs stay inside as well, whether what they name exists or not', async () => {
    for (const workdir of ['/tmp', '/no/such/directory', path.join(dir, 'way-out')]) {
      const reply = await confined.post('/jobs', { action: 'status', workdir });
      expectProblem(reply, 403, 'forbidden-path');
    }
    for (const topologyPath of [example, '/no/such/file', 'way-out/secret.yml']) {
      const reply = await confined.post('/jobs', { action: 'create', workdir: dir, topologyPath });
      expectProblem(reply, 403, 'forbidden-path');
    }
    expect((await confined.get('/jobs')).json.jobs).toEqual([]);
  });
});
