import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { tarGzOf, zipOf } from '../support/archives.ts';
import { startService, type RunningService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService({ env: { LAB_API_ROOTS: '/nonexistent' } });
});

const gzip = { 'Content-Type': 'application/gzip' };
const zip = { 'Content-Type': 'application/zip' };

const place = (name: string, ...parts: string[]): string =>
  path.join(service.ground.dataDir, 'workspaces', name, ...parts);
const put = async (target: string, body?: unknown, headers = {}) =>
  service.request(target, { method: 'PUT', body, headers });
const remove = async (target: string, headers = {}) => service.request(target, { method: 'DELETE', headers });
/** What the service has for itself while nothing is under way. */
const left = () =>
  ['incoming', 'trash'].flatMap((name) =>
    readdirSync(path.join(service.ground.dataDir, 'workspaces', '.lab-api', name)),
  );

const course = [
  { name: './', type: '5' },
  { name: './topology.yml', content: 'nodes: [a]\n' },
  { name: './files/run.sh', content: '#!/bin/sh\n', mode: 0o4755 },
] as const;

test('belong to one service, whichever has them below its data directory', async () => {
  const workspaces = path.join(service.ground.dataDir, 'workspaces');
  const second = startService({ env: { LAB_API_WORKSPACES_DIR: workspaces } });
  await expect(second).rejects.toThrow(/cannot use the directory of the workspaces .* is in use by/);
});

test('what is no workspace, and has the name of one, is left alone', async () => {
  const outside = mkdtempSync(path.join(service.ground.workdir, 'outside-'));
  symlinkSync(outside, place('taken'));
  for (const [body, headers] of [[undefined], [tarGzOf(...course), gzip]] as const) {
    const reply = await put('/workspaces/taken', body, headers);
    expect([reply.status, reply.json.code]).toEqual([409, 'workspace-busy']);
  }
  expect((await remove('/workspaces/taken')).status).toBe(404);
  expect(readdirSync(outside)).toEqual([]);
  expect(left()).toEqual([]);
});

describe('a workspace', () => {
  test('is made once, and listed', async () => {
    const made = await put('/workspaces/empty');
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      name: 'empty',
      workdir: place('empty'),
      size: 0,
      files: 0,
      owner: null,
    });
    expect(await service.get('/workspaces/empty')).toMatchObject({ status: 200, json: made.json });
    const { workspaces } = (await service.get('/workspaces')).json;
    expect(workspaces).toContainEqual(made.json);
    expect(made.json.expiresAt).toBeNull();
    const again = await put('/workspaces/empty');
    expect([again.status, again.json.createdAt]).toEqual([200, made.json.createdAt]);
  });

  test.each([
    ['another directory', (victim: string) => `${'../'.repeat(40)}${victim.slice(1)}`],
    ['the directory of all', () => '.'],
    ['the one above', () => '..'],
    ['that of the service', () => '.lab-api'],
    ['a name that no disk takes', () => 'a'.repeat(300)],
  ])('is not %s, which is not given away', async (_, nameFor) => {
    const victim = path.join(service.ground.root, 'victim');
    mkdirSync(victim, { recursive: true });
    writeFileSync(`${victim}.json`, '{}');
    const reply = await put(`/workspaces/${encodeURIComponent(nameFor(victim))}/owner`, { owner: 'eve' });
    expect(readFileSync(`${victim}.json`, 'utf8')).toBe('{}');
    expect([reply.status, reply.json.code]).toEqual([404, 'workspace-not-found']);
  });

  test.each([
    ['tar.gz', gzip, tarGzOf(...course)],
    [
      'zip',
      zip,
      zipOf(
        { name: 'topology.yml', content: 'nodes: [a]\n' },
        { name: 'files/run.sh', content: '#!/bin/sh\n', mode: 0o104755 },
      ),
    ],
  ])('takes the files of a %s, and gives them back', async (format, headers, archive) => {
    const name = `from-${format.replace('.', '-')}`;
    const reply = await put(`/workspaces/${name}`, archive, headers);
    expect(reply.json).toMatchObject({ name, size: 21, files: 2, lab: null, job: null });
    expect(reply.status).toBe(201);
    expect(readFileSync(place(name, 'topology.yml'), 'utf8')).toBe('nodes: [a]\n');
    expect(statSync(place(name, 'files/run.sh')).mode & 0o7777).toBe(0o755);
    expect(statSync(place(name, 'topology.yml')).mode & 0o7777).toBe(0o644);
    expect(left()).toEqual([]);
    for (const wanted of ['tar.gz', 'zip']) {
      const got = await service.get(`/workspaces/${name}?format=${wanted}`);
      const again = await put(`/workspaces/${name}-${wanted.length}`, got.bytes, {
        'Content-Type': got.headers['content-type'] ?? '',
      });
      expect(again.json).toMatchObject({ size: 21, files: 2 });
      expect(statSync(place(`${name}-${wanted.length}`, 'files/run.sh')).mode & 0o7777).toBe(0o755);
    }
  });

  test('is replaced as a whole, or stays as it was', async () => {
    await put('/workspaces/whole', tarGzOf({ name: 'old', content: 'old' }), gzip);
    const refused = await put(
      '/workspaces/whole',
      tarGzOf({ name: 'new', content: 'new' }, { name: 'link', type: '2', link: '/etc' }),
      gzip,
    );
    expect([refused.status, refused.json.code]).toEqual([422, 'archive-refused']);
    expect(refused.json.detail).toContain('"link" is a symbolic link');
    expect(readdirSync(place('whole'))).toEqual(['old']);
    const replaced = await put('/workspaces/whole', tarGzOf({ name: 'new', content: 'new' }), gzip);
    expect([replaced.status, replaced.json.files]).toEqual([200, 1]);
    expect(readdirSync(place('whole'))).toEqual(['new']);
    expect(left()).toEqual([]);
  });

  test('takes archives of known types only', async () => {
    for (const headers of [{ 'Content-Type': 'text/plain' }, {}]) {
      const reply = await put('/workspaces/typed', tarGzOf(...course), headers);
      expect([reply.status, reply.json.code]).toEqual([415, 'unsupported-media-type']);
    }
    expect(existsSync(place('typed'))).toBe(false);
  });

  test.each([
    'application/x-gzip',
    'Application/GZIP',
    'application/gzip; name=course',
    'application/gzip ;a=b',
  ])('takes an archive that is called %s', async (type) => {
    const name = `called-${type.length}`;
    expect((await put(`/workspaces/${name}`, tarGzOf(...course), { 'Content-Type': type })).status).toBe(201);
    expect(readdirSync(place(name)).toSorted()).toEqual(['files', 'topology.yml']);
  });

  test('is removed with its files', async () => {
    await put('/workspaces/gone', tarGzOf(...course), gzip);
    expect((await remove('/workspaces/gone')).status).toBe(204);
    expect(existsSync(place('gone'))).toBe(false);
    for (const reply of [await remove('/workspaces/gone'), await service.get('/workspaces/gone')])
      expect([reply.status, reply.json.code]).toEqual([404, 'workspace-not-found']);
    expect(left()).toEqual([]);
  });

  test('gives no link away, and erases none of what it leads to', async () => {
    const outside = path.join(service.ground.root, 'outside');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'secret'), 'secret');
    await put('/workspaces/linked', tarGzOf({ name: 'plain', content: 'plain' }), gzip);
    symlinkSync(outside, place('linked', 'directory'));
    symlinkSync(path.join(outside, 'secret'), place('linked', 'file'));
    execFileSync('ln', [path.join(outside, 'secret'), place('linked', 'hard')]);
    execFileSync('mkfifo', [place('linked', 'pipe')]);
    for (const file of ['directory/secret', 'file', 'hard', 'pipe']) {
      const reply = await service.get(`/workspaces/linked/files/${file}`);
      expect([file, reply.status, reply.json.code]).toEqual([file, 404, 'file-not-found']);
      expect(reply.json.detail).toContain(`there is no file "${decodeURIComponent(file)}"`);
    }
    const archive = await service.get('/workspaces/linked?format=tar.gz');
    const listed = execFileSync('tar', ['tz'], { input: archive.bytes, encoding: 'utf8' });
    expect(listed).toBe('plain\n');
    expect((await put('/workspaces/linked/files/directory/new', 'x')).status).toBe(400);
    expect((await put('/workspaces/linked/files/file', 'x')).status).toBe(400);
    await remove('/workspaces/linked');
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(readFileSync(path.join(outside, 'secret'), 'utf8')).toBe('secret');
  });
});

describe('a file', () => {
  const target = '/workspaces/files/files/a/b%20c.txt';

  test('is written, read, guarded by its tag and removed', async () => {
    await put('/workspaces/files');
    const made = await put(target, 'one', { 'If-None-Match': '*' });
    expect([made.status, made.json.path]).toEqual([201, 'a/b c.txt']);
    const got = await service.get(target);
    expect([got.text, got.headers.etag]).toEqual(['one', made.headers.etag]);
    expect(got.headers['content-disposition']).toBe(
      `attachment; filename="b_c.txt"; filename*=UTF-8''b%20c.txt`,
    );
    const tag = String(got.headers.etag);
    expect((await service.get(target, { 'If-None-Match': tag })).status).toBe(304);
    const changed = await put(target, 'second', { 'If-Match': tag });
    expect(changed.status).toBe(200);
    for (const reply of [
      await put(target, 'third', { 'If-Match': tag }),
      await put(target, 'third', { 'If-None-Match': '*' }),
      await remove(target, { 'If-Match': tag }),
    ])
      expect([reply.status, reply.json.code]).toEqual([412, 'precondition-failed']);
    expect((await service.get(target)).text).toBe('second');
    expect((await remove(target, { 'If-Match': String(changed.headers.etag) })).status).toBe(204);
    expect((await service.get(target)).status).toBe(404);
    expect((await remove('/workspaces/files/files/a')).status).toBe(204);
    expect(left()).toEqual([]);
  });

  test('is given in ranges', async () => {
    await put('/workspaces/ranges');
    const { headers } = await put('/workspaces/ranges/files/digits', '0123456789');
    const get = async (range: string, more = {}) =>
      service.get('/workspaces/ranges/files/digits', { Range: range, ...more });
    const part = await get('bytes=2-4');
    expect([part.status, part.text, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10']);
    expect((await get('bytes=-3')).text).toBe('789');
    expect((await get('bytes=0-1', { 'If-Range': '"other"' })).text).toBe('0123456789');
    expect((await get('bytes=0-1', { 'If-Range': String(headers.etag) })).text).toBe('01');
    const beyond = await get('bytes=10-');
    expect([beyond.status, beyond.headers['content-range']]).toEqual([416, 'bytes */10']);
  });

  test('is listed with the others, of the directory alone or of all below it', async () => {
    await put('/workspaces/listed', tarGzOf(...course), gzip);
    const top = (await service.get('/workspaces/listed/files/')).json;
    expect(top).toMatchObject({ files: [{ path: 'files' }, { path: 'topology.yml' }], truncated: false });
    expect((await service.get('/workspaces/listed/files?recursive=true')).json.files).toHaveLength(3);
    const below = (await service.get('/workspaces/listed/files?path=files')).json;
    expect(below.files).toMatchObject([{ path: 'files/run.sh', kind: 'file', size: 10 }]);
    expect((await service.get('/workspaces/listed/files?path=nothing')).status).toBe(404);
  });

  test.each(['../x', '..%2Fx', 'a/../../x', '%2Fetc%2Fpasswd/..', 'a%00b', 'a%0Ab', 'a%5Cb'])(
    'does not lie at %s',
    async (file) => {
      await put('/workspaces/paths');
      const wrong = `/workspaces/paths/files/${file}`;
      for (const method of ['GET', 'PUT', 'DELETE'])
        expect(
          (await service.request(wrong, { method, body: method === 'PUT' ? 'x' : undefined })).status,
        ).toBe(400);
      expect(readdirSync(place('paths'))).toEqual([]);
    },
  );
});
