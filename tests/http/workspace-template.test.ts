/** Workspaces that begin as a copy of a template. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { tarGzOf } from '../support/archives.ts';
import { People } from '../support/people.ts';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';

const ground = makeGround();
const templates = path.join(ground.root, 'templates');
const mine = path.join(templates, 'mine');
const people = new People({
  ann: { role: 'admin' },
  nick: { role: 'operator', workdirs: [mine] },
});
const [ann, nick] = [people.as('ann'), people.as('nick')];
const topology = topologyThat();
let service: RunningService;

/** Makes files below `templates`, by their paths. */
function make(files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(templates, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

const at = (template: string): string => path.join(templates, template);
const copy = async (name: string, template: string, { headers = ann, ...more } = {}) =>
  service.request(`/workspaces/${name}?${new URLSearchParams({ template }).toString()}`, {
    method: 'PUT',
    headers,
    ...more,
  });
const place = (...parts: string[]): string => path.join(service.ground.dataDir, 'workspaces', ...parts);
/** Everything in the directory of workspaces; the own files of the service only as far as they are for what comes. */
const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true }).map(String).toSorted();
const workspacesNow = (): string[] => readdirSync(place()).filter((name) => name !== '.lab-api');
const incoming = (): string[] => readdirSync(place('.lab-api', 'incoming'));

async function expectNothing(name: string): Promise<void> {
  expect(workspacesNow()).not.toContain(name);
  expect(incoming()).toEqual([]);
  expect((await service.request(`/workspaces/${name}`, { headers: ann })).status).toBe(404);
}

beforeAll(async () => {
  make({
    'ring/lab.yml': topology,
    'ring/topology-defaults.yml': 'device: frr\n',
    'ring/plugins/hello.py': 'print("hello")\n',
    'mine/own.yml': topology,
    'linked/lab.yml': topology,
    'outside.txt': 'secret',
  });
  symlinkSync('lab.yml', at('linked/link.yml'));
  service = await startService({ ground, env: { LAB_API_TEMPLATES_DIR: templates }, admit: people.admit });
});

test('gets the template and the files beside it and below, and a lab starts there', async () => {
  make({
    'ring/run.sh': '#!/bin/sh\n',
    'ring/.git/config': 'x',
    'ring/.hidden': 'x',
    'ring/node_modules/a/index.js': 'x',
  });
  chmodSync(at('ring/run.sh'), 0o4755);
  symlinkSync('/etc', at('ring/way-out'));
  symlinkSync(at('outside.txt'), at('ring/link.txt'));
  linkSync(at('outside.txt'), at('ring/second-name.txt'));
  const reply = await copy('ring-1', at('ring/lab.yml'), { headers: nick });
  // The directory is not one of those of this user.
  expectProblem(reply, 403, 'forbidden-path');
  const made = await copy('ring-1', at('ring/lab.yml'));
  expect(made).toMatchObject({ status: 201, json: { name: 'ring-1', owner: 'ann', files: 4, lab: null } });
  expect(filesIn(place('ring-1'))).toEqual([
    'lab.yml',
    'plugins',
    'plugins/hello.py',
    'run.sh',
    'topology-defaults.yml',
  ]);
  expect(readFileSync(place('ring-1', 'lab.yml'), 'utf8')).toBe(topology);
  expect(statSync(place('ring-1', 'run.sh')).mode & 0o7777).toBe(0o755);
  expect(incoming()).toEqual([]);
  const id = await service.start({ action: 'up', workspace: 'ring-1', topologyPath: 'lab.yml' }, ann);
  expect((await service.request(`/jobs/${id}?wait=30`, { headers: ann })).json.state).toBe('success');
});

test('is made from a template only while its name is free', async () => {
  expect((await copy('twice', at('mine/own.yml'), { headers: nick })).status).toBe(201);
  writeFileSync(place('twice', 'own.yml'), 'changed');
  for (const headers of [nick, ann])
    expectProblem(await copy('twice', at('mine/own.yml'), { headers }), 409, 'workspace-busy');
  expect(readFileSync(place('twice', 'own.yml'), 'utf8')).toBe('changed');
  const both = await Promise.all(['a', 'b'].map(async () => copy('raced', at('mine/own.yml'))));
  expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]));
  expect(incoming()).toEqual([]);
});

test('that is one of another user is no template', async () => {
  await service.request('/workspaces/hers', { method: 'PUT', headers: ann });
  writeFileSync(place('hers', 'lab.yml'), topology);
  const reply = await copy('stolen', place('hers', 'lab.yml'), { headers: nick });
  expectProblem(reply, 403, 'forbidden-path');
  expect((await copy('again', place('hers', 'lab.yml'))).status).toBe(201);
  await expectNothing('stolen');
});

describe('is not made', () => {
  test.each<[string, string, number, string, string]>([
    ['a file that is missing', 'ring/none.yml', 404, 'topology-not-found', 'there is no topology file'],
    ['a directory', 'ring/plugins', 404, 'topology-not-found', 'there is no topology file'],
    ['a directory that is missing', 'none/lab.yml', 404, 'directory-not-found', 'there is no directory'],
    ['below a file', 'ring/lab.yml/lab.yml', 404, 'directory-not-found', 'there is no directory'],
    ['a file without nodes', 'ring/topology-defaults.yml', 400, 'invalid-request', 'it has no nodes'],
    ['another kind of file', 'ring/plugins/hello.py', 404, 'topology-not-found', 'there is no topology file'],
    ['a link', 'linked/link.yml', 400, 'invalid-request', 'is a link'],
  ])('from %s', async (...[, template, status, code, detail]) => {
    const reply = await copy('wrong', at(template));
    expectProblem(reply, status, code);
    expect(reply.json.detail).toContain(detail);
    expect(wrongFields(reply)).toEqual(['template']);
    await expectNothing('wrong');
  });

  test('together with an archive, nor from two templates', async () => {
    const body = tarGzOf({ name: 'a', content: 'a' });
    const headers = { ...ann, 'Content-Type': 'application/gzip' };
    const reply = await copy('wrong', at('ring/lab.yml'), { headers, body } as never);
    expectProblem(reply, 400, 'invalid-request');
    const twice = await service.request('/workspaces/wrong?template=a&template=b', {
      method: 'PUT',
      headers: ann,
    });
    expectProblem(twice, 400, 'invalid-request');
    expect([wrongFields(reply), wrongFields(twice)]).toEqual([['template'], ['template']]);
    await expectNothing('wrong');
  });

  test('from a directory of more than 16 MiB, or 2,000 files and directories', async () => {
    make({ 'large/lab.yml': topology, 'large/disk.img': Buffer.alloc(16 * 1024 * 1024) });
    make({ 'many/lab.yml': topology });
    for (let nth = 0; nth < 2_000; nth += 1) mkdirSync(at(`many/d${nth}`));
    for (const directory of ['large', 'many']) {
      const reply = await copy('wrong', at(`${directory}/lab.yml`));
      expectProblem(reply, 413, 'payload-too-large');
      expect(reply.json.detail).toMatch(/^template: .* put the template into a directory of its own/);
      await expectNothing('wrong');
    }
  });

  test('from files that some systems take for one', async () => {
    make({ 'twins/lab.yml': topology, 'twins/a.txt': '', 'twins/A.txt': '' });
    const reply = await copy('wrong', at('twins/lab.yml'));
    expectProblem(reply, 422, 'archive-refused');
    expect(reply.json.detail).toContain('template: its directory is refused');
    await expectNothing('wrong');
  });

  test('where the name is none', async () => {
    expectProblem(await copy('Wrong%20name', at('ring/lab.yml')), 400, 'invalid-request');
  });
});

test('has none of the files of the service', async () => {
  const own = makeGround();
  const { root, dataDir } = own;
  writeFileSync(path.join(root, 'around.yml'), topology);
  const other = await startService({ ground: own });
  const target = `/workspaces/around?template=${path.join(root, 'around.yml')}`;
  expect((await other.request(target, { method: 'PUT' })).status).toBe(201);
  const copied = filesIn(path.join(dataDir, 'workspaces', 'around'));
  expect(copied).toContain('around.yml');
  expect(copied.filter((name) => name.startsWith(`${path.basename(dataDir)}/`))).toEqual([]);
});
