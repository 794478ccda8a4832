/** GET, PUT and DELETE /images: the images for nodes in namespaces, over HTTP. */
import { beforeAll, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { tarOf } from '../support/archives.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { dockerArchive, shell, shellSize } from '../support/image-archives.ts';
import { People } from '../support/people.ts';
import { expectProblem } from '../support/problem.ts';
import { makeGround, startService, type RunningService } from '../support/service.ts';

const people = new People({ ann: { role: 'admin' }, bob: { role: 'operator' } });
const [ann, bob] = [people.as('ann'), people.as('bob')];
const ground = makeGround();
const images = path.join(ground.root, 'lab-home', 'images');

let service: RunningService;
beforeAll(async () => {
  const env = { LAB_HOME: path.join(ground.root, 'lab-home'), LAB_API_MAX_ALL_IMAGES_SIZE: '200KiB' };
  service = await startService({ ground, env, admit: people.admit, client: { headers: ann } });
});

const put = async (target: string, body: Buffer) => service.request(target, { method: 'PUT', body });
const remove = async (target: string) => service.request(target, { method: 'DELETE' });
const archive = dockerArchive({ layers: [tarOf(...shell)] });
const trees = (): readonly string[] =>
  existsSync(images) ? readdirSync(path.join(images, 'trees')).filter((name) => !name.endsWith('.lock')) : [];

test('an image is added, listed, replaced and removed', async () => {
  expect((await service.get('/images')).json).toEqual({ images: [] });
  const added = await put('/images/registry.example%2Fteam%2Ffrr:10', archive);
  expect(added).toMatchObject({
    status: 200,
    json: { name: 'registry.example/team/frr:10', size: shellSize },
  });
  expect((await service.get('/images')).json).toEqual({ images: [added.json] });
  const larger = tarOf(...shell, { name: 'usr/lib/frr/zebra', content: 'x', mode: 0o755 });
  const replaced = await put(
    '/images/registry.example%2Fteam%2Ffrr:10',
    gzipSync(dockerArchive({ layers: [larger] })),
  );
  expect(replaced.json).toMatchObject({ size: shellSize + 4097, isRouter: true });
  expect((await service.get('/images')).json).toEqual({ images: [replaced.json] });
  expect(await remove('/images/registry.example%2Fteam%2Ffrr:10')).toMatchObject({ status: 204 });
  expect((await service.get('/images')).json).toEqual({ images: [] });
  expect(trees()).toEqual([]);
});

test('other users see them, and change none', async () => {
  expect(await service.request('/images', { headers: bob })).toMatchObject({ status: 200 });
  for (const [method, target] of [
    ['PUT', '/images/frr'],
    ['DELETE', '/images/frr'],
  ] as const) {
    const reply = await service.request(target, { method, headers: bob });
    expectProblem(reply, 403, 'forbidden');
  }
});

test('what is no image, and what is too large, is refused with the reason', async () => {
  expectProblem(await put('/images/frr', Buffer.from('hello')), 422, 'archive-refused');
  expectProblem(await service.request('/images/frr', { method: 'PUT' }), 422, 'archive-refused');
  for (const name of ['a%20b', '..%2Ffrr', '-v', 'a%00b', '%C2%84', 'A', 'docker.io%2FA', 'a'.repeat(111)])
    for (const refused of [await put(`/images/${name}`, archive), await remove(`/images/${name}`)])
      expectProblem(refused, 400, 'invalid-request');
  expectProblem(await remove('/images/frr'), 404, 'image-not-found');
  const large = tarOf(...shell, { name: 'x', content: Buffer.alloc(300_000, 'x') });
  expectProblem(await put('/images/frr', dockerArchive({ layers: [large] })), 507, 'quota-exceeded');
  const most = tarOf(...shell, { name: 'x', content: Buffer.alloc(90_000, 'x') });
  expect(await put('/images/most', dockerArchive({ layers: [most] }))).toMatchObject({ status: 200 });
  const more = tarOf(...shell, { name: 'x', content: Buffer.alloc(60_000, 'x') });
  expectProblem(await put('/images/more', dockerArchive({ layers: [more] })), 507, 'quota-exceeded');
  expect(await remove('/images/most')).toMatchObject({ status: 204 });
  expect(trees()).toEqual([]);
});

test('the name and the query are checked before the archive has come', async () => {
  const { hostname, port } = new URL(service.url);
  const headers = { ...ann, 'Content-Length': '1000000000' };
  for (const [target, field] of [
    ['/images/-v', 'name'],
    ['/images/frr?hots=x', 'hots'],
  ] as const) {
    const request = http.request({ hostname, port, path: target, method: 'PUT', headers });
    request.on('error', () => undefined);
    request.write(archive);
    const [reply] = (await once(request, 'response')) as [http.IncomingMessage];
    expect(reply.statusCode).toBe(400);
    expect(await json(reply)).toMatchObject({ errors: [{ field }] });
    // The rest of a gigabyte is not waited for.
    await once(request, 'close');
  }
});

test('a client that goes away in the middle leaves nothing, and does not keep the next one waiting', async () => {
  const { hostname, port } = new URL(service.url);
  const headers = { ...ann, 'Content-Length': String(archive.length) };
  const request = http.request({ hostname, port, path: '/images/frr', method: 'PUT', headers });
  request.on('error', () => undefined);
  request.write(archive.subarray(0, 600));
  await eventually('the first file has come', () => trees().length === 1);
  request.destroy();
  expect(await put('/images/frr', archive)).toMatchObject({ status: 200 });
  expect(trees()).toHaveLength(1);
  // The removal of what the first one left may still run.
  await eventually(
    'no process is left',
    () => processesWith(`LAB_HOME=${path.dirname(images)}`).length === 0,
  );
});
