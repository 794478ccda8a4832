import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  addImage,
  findImage,
  listImages,
  removeImage,
  sweepImages,
} from '../../../../src/engine/images/image-store.ts';
import { rootOf, withTrees } from '../../../../src/engine/images/trees.ts';
import { tarOf } from '../../../support/archives.ts';
import { dockerArchive, shell, shellSize } from '../../../support/image-archives.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { ImagePlace } from '../../../support/image-place.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const base = temporaryDirectory();
let place: ImagePlace;
beforeEach(() => {
  place = new ImagePlace(base);
});
afterEach(() => place.expectWhole());

const add: ImagePlace['add'] = async (...args) => place.add(...args);

const onlyShell = tarOf(...shell);

test('an archive of docker save becomes an image', async () => {
  const layer = tarOf(...shell, { name: 'usr/lib/frr/zebra', content: 'x', mode: 0o755 });
  const config = {
    Env: ['PATH=/bin', 'A=b=c', 'strange name=1', 'LINES=a\nb'],
    Entrypoint: ['/init'],
    Cmd: ['-x'],
    WorkingDir: '/srv',
  };
  const image = await add(dockerArchive({ layers: [layer], config, tags: ['other:2'] }));
  expect(image).toMatchObject({ name: 'demo:1', size: shellSize + 4097, isRouter: true });
  expect(image.id).toMatch(/^[0-9a-f]{64}$/);
  expect(image.start).toEqual({
    command: ['/init', '-x'],
    directory: '/srv',
    env: { PATH: '/bin', A: 'b=c' },
  });
  expect(await listImages(place.context)).toEqual([image]);
  expect(lstatSync(place.directory).mode & 0o777).toBe(0o700);
  expect(lstatSync(path.join(rootOf(place.context, image), 'bin/sh')).mode & 0o7777).toBe(0o755);
});

test('an image is found by its name with and without the parts that Docker adds', async () => {
  const image = await add(dockerArchive({ layers: [tarOf(...shell)] }), 'docker.io/library/python');
  expect(image).toMatchObject({
    name: 'python:latest',
    isRouter: false,
    start: { command: [], directory: '/' },
  });
  expect(await findImage(place.context, 'python')).toEqual(image);
  expect(await findImage(place.context, 'library/python:latest')).toEqual(image);
  expect(await findImage(place.context, 'python:3')).toBeUndefined();
  expect(await findImage(place.context, '../python')).toBeUndefined();
});

test('an image takes the place of that of its name, and a removed one leaves nothing', async () => {
  const first = await add(dockerArchive({ layers: [tarOf(...shell)] }));
  const second = await add(dockerArchive({ layers: [tarOf(...shell, { name: 'new', content: '12' })] }));
  expect(existsSync(rootOf(place.context, first))).toBe(false);
  expect(await listImages(place.context)).toEqual([second]);
  await removeImage(place.context, 'demo:1');
  expect(await listImages(place.context)).toEqual([]);
  expect(existsSync(rootOf(place.context, second))).toBe(false);
  expect(await failureOf(removeImage(place.context, 'demo:1'))).toMatchObject({ code: 'image-not-found' });
});

test.each(['docker.io/docker.io/x', 'library/docker.io/x', 'docker.io/library/library/x'])(
  'an image with the name %s is there after its addition',
  async (name) => {
    const image = await add(dockerArchive({ layers: [tarOf(...shell)] }), name);
    expect(image.name).toBe('x:latest');
    expect(await listImages(place.context)).toEqual([image]);
    expect(existsSync(rootOf(place.context, image))).toBe(true);
  },
);

test('images whose records cannot be read keep their files', async () => {
  const image = await add(dockerArchive({ layers: [tarOf(...shell)] }));
  const record = path.join(place.directory, 'demo%3A1.json');
  const text = readFileSync(record, 'utf8');
  writeFileSync(record, '{');
  await expect(listImages(place.context)).rejects.toThrow(/demo%3A1.json is damaged/);
  await expect(add(dockerArchive({ layers: [tarOf(...shell)] }), 'other')).rejects.toThrow(/damaged/);
  writeFileSync(record, text);
  expect(await listImages(place.context)).toEqual([image]);
  expect(existsSync(rootOf(place.context, image))).toBe(true);
  await sweepImages(place.context);
});

test('a tree that a command holds stays, and so does one that cannot be removed', async () => {
  const image = await add(dockerArchive({ layers: [tarOf(...shell)] }));
  await withTrees(place.context, [image], async () => {
    await removeImage(place.context, 'demo:1');
    expect(existsSync(rootOf(place.context, image))).toBe(true);
  });
  await sweepImages(place.context);
  expect(existsSync(rootOf(place.context, image))).toBe(false);
  await expect(withTrees(place.context, [image], () => Promise.resolve())).rejects.toThrow(/try again/);
  await sweepImages(place.context);
});

test('of additions at the same time, each is whole, and together they keep the limit', async () => {
  const big = tarOf(...shell, { name: 'x', content: 'x'.repeat(40_000) });
  const archive = dockerArchive({ layers: [big] });
  const limits = { maxBytes: 200_000, minFreeBytes: 0 };
  const names = ['a', 'b', 'c', 'd', 'a', 'b'];
  const all = await Promise.allSettled(names.map(async (name) => add(archive, name, limits)));
  expect(all.some(({ status }) => status === 'fulfilled')).toBe(true);
  const images = await listImages(place.context);
  expect(images.length).toBeLessThanOrEqual(2);
  for (const image of images)
    expect(existsSync(path.join(rootOf(place.context, image), 'bin/sh'))).toBe(true);
  await sweepImages(place.context);
});

test('the rest of an addition that was killed is removed by the next one', async () => {
  const left = path.join(place.directory, 'trees/left/root');
  mkdirSync(left, { recursive: true });
  writeFileSync(path.join(left, 'file'), 'x');
  await add(dockerArchive({ layers: [tarOf(...shell)] }));
  expect(existsSync(left)).toBe(false);
});

test('a refused image leaves the earlier one of its name', async () => {
  const image = await add(dockerArchive({ layers: [onlyShell] }));
  await failureOf(add(tarOf({ name: 'x' })));
  expect(await listImages(place.context)).toEqual([image]);
  expect(existsSync(path.join(rootOf(place.context, image), 'bin/sh'))).toBe(true);
});

test('all images share the limit; a new one of a name counts in place of the earlier one', async () => {
  const archive = dockerArchive({ layers: [onlyShell] });
  const limits = { maxBytes: 2.5 * shellSize, minFreeBytes: 0 };
  await add(
    dockerArchive({ layers: [tarOf(...shell, { name: 'x', content: 'x'.repeat(9000) })] }),
    'a',
    limits,
  );
  await add(archive, 'a', limits);
  await add(archive, 'b', limits);
  expect(await failureOf(add(archive, 'c', { maxBytes: shellSize, minFreeBytes: 0 }))).toMatchObject({
    code: 'quota-exceeded',
  });
  expect(await failureOf(add(archive, 'c', { maxBytes: Infinity, minFreeBytes: 2 ** 60 }))).toMatchObject({
    code: 'disk-full',
  });
});

test.each(['', '../x', 'A:1', 'a:', 'a b', 'a/../b', 'a:b/c:d', `a:${'t'.repeat(129)}`, 'é', 'a@sha256:0'])(
  'the name %j is refused',
  async (name) => {
    expect(await failureOf(add(dockerArchive({ layers: [onlyShell] }), name))).toMatchObject({
      code: 'invalid-request',
    });
  },
);

test('an interrupted addition says so, and leaves nothing', async () => {
  const interruption = new AbortController();
  place.context = { ...place.context, interrupted: interruption.signal };
  async function* stopping(): AsyncGenerator<Buffer> {
    yield dockerArchive({ layers: [onlyShell] }).subarray(0, 600);
    await Promise.resolve();
    interruption.abort(new Error('interrupted by SIGTERM'));
    throw new Error('aborted');
  }
  await expect(
    addImage(place.context, 'demo', stopping(), { maxBytes: Infinity, minFreeBytes: 0 }),
  ).rejects.toThrow('interrupted by SIGTERM');
});
