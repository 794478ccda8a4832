import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { EngineContext } from '../../../../src/engine/core/engine-context.ts';
import {
  addImage,
  findImage,
  listImages,
  removeImage,
  rootOf,
  type Image,
} from '../../../../src/engine/images/image-store.ts';
import { tarOf, type Member } from '../../../support/archives.ts';
import {
  dockerArchive,
  dockerMembers,
  OciLayout,
  ownArchitecture,
  shell,
} from '../../../support/image-archives.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const base = temporaryDirectory();
let context: EngineContext;

beforeEach(() => {
  const place = path.join(base, String(Math.random()));
  context = {
    home: path.join(place, 'home'),
    cwd: place,
    runDir: path.join(place, 'run'),
    seesKernel: false,
    out: () => undefined,
    err: () => undefined,
    interrupted: new AbortController().signal,
  };
});

/** Each root file system belongs to an image. */
afterEach(() => {
  const images = path.join(context.home, 'images');
  if (!existsSync(images)) return;
  const trees = readdirSync(path.join(images, 'trees'));
  expect(trees).toHaveLength(readdirSync(images).filter((name) => name.endsWith('.json')).length);
});

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  // Smaller than a header, as a slow client sends them.
  for (let at = 0; at < bytes.length; at += 500) yield bytes.subarray(at, at + 500);
}

const noLimits = { maxBytes: Infinity, minFreeBytes: 0 };

const add = async (archive: Buffer, name = 'demo:1', limits = noLimits): Promise<Image> =>
  addImage(context, name, pieces(archive), limits);

const text = (root: string, file: string): string => readFileSync(path.join(root, file), 'utf8');

test('an archive of docker save becomes an image', async () => {
  const layer = tarOf(shell, { name: 'usr/lib/frr/zebra', content: 'x', mode: 0o755 });
  const config = {
    Env: ['PATH=/bin', 'A=b=c', 'strange name=1', 'LINES=a\nb'],
    Entrypoint: ['/init'],
    Cmd: ['-x'],
    WorkingDir: '/srv',
  };
  const image = await add(dockerArchive({ layers: [layer], config, tags: ['other:2'] }));
  expect(image).toMatchObject({ name: 'demo:1', size: 13, isRouter: true });
  expect(image.id).toMatch(/^[0-9a-f]{64}$/);
  expect(image.start).toEqual({
    command: ['/init', '-x'],
    directory: '/srv',
    env: { PATH: '/bin', A: 'b=c' },
  });
  expect(await listImages(context)).toEqual([image]);
  expect(lstatSync(path.join(context.home, 'images')).mode & 0o777).toBe(0o700);
  expect(lstatSync(path.join(rootOf(context, image), 'bin/sh')).mode & 0o7777).toBe(0o755);
});

test('an image is found by its name with and without the parts that Docker adds', async () => {
  const image = await add(dockerArchive({ layers: [tarOf(shell)] }), 'docker.io/library/python');
  expect(image).toMatchObject({
    name: 'python:latest',
    isRouter: false,
    start: { command: [], directory: '/' },
  });
  expect(await findImage(context, 'python')).toEqual(image);
  expect(await findImage(context, 'library/python:latest')).toEqual(image);
  expect(await findImage(context, 'python:3')).toBeUndefined();
  expect(await findImage(context, '../python')).toBeUndefined();
});

test('an image takes the place of that of its name, and a removed one leaves nothing', async () => {
  const first = await add(dockerArchive({ layers: [tarOf(shell)] }));
  const second = await add(dockerArchive({ layers: [tarOf(shell, { name: 'new', content: '12' })] }));
  expect(existsSync(rootOf(context, first))).toBe(false);
  expect(await listImages(context)).toEqual([second]);
  await removeImage(context, 'demo:1');
  expect(await listImages(context)).toEqual([]);
  expect(existsSync(rootOf(context, second))).toBe(false);
  expect(await failureOf(removeImage(context, 'demo:1'))).toMatchObject({ code: 'image-not-found' });
});

test('the rest of an addition that was killed is removed by the next one', async () => {
  const left = path.join(context.home, 'images/trees/left/root');
  mkdirSync(left, { recursive: true });
  writeFileSync(path.join(left, 'file'), 'x');
  await add(dockerArchive({ layers: [tarOf(shell)] }));
  expect(existsSync(left)).toBe(false);
});

test.each([
  ['gzip of all', (archive: Buffer) => gzipSync(archive), undefined],
  ['gzip of the layers', (archive: Buffer) => archive, gzipSync],
])('%s is unpacked', async (_how, outer, inner) => {
  const layer = tarOf(shell, { name: 'a', content: 'x'.repeat(100_000) });
  const image = await add(
    outer(dockerArchive({ layers: [layer], ...(inner && { stored: [inner(layer)] }) })),
  );
  expect(text(rootOf(context, image), 'a')).toHaveLength(100_000);
});

test('of two equal layers, Docker 24 writes one as a link', async () => {
  const layer = tarOf(shell);
  const members = dockerMembers({ layers: [layer, layer] });
  const [one, , config, manifest] = members;
  const other = { name: 'b/layer.tar', type: '2', link: `../${String(one?.name)}` };
  const document = JSON.parse(String(manifest?.content)) as [{ Layers: string[] }];
  document[0].Layers[1] = 'b/layer.tar';
  const archive = tarOf(one as Member, other, config as Member, {
    name: 'manifest.json',
    content: JSON.stringify(document),
  });
  expect(await add(archive)).toMatchObject({ size: 24 });
});

test('an OCI layout has the image for this machine in an index of an index', async () => {
  const layout = new OciLayout();
  const own = { architecture: ownArchitecture, os: 'linux' };
  const foreign = { architecture: 'mips', os: 'linux' };
  const layer = tarOf(shell, { name: 'own', content: '1' });
  const right = layout.image({ layers: [layer], stored: [gzipSync(layer)] }, { platform: own });
  const wrong = layout.image({ layers: [tarOf(shell)] }, { platform: foreign });
  const index = layout.add(
    { manifests: [wrong, right] },
    { mediaType: 'application/vnd.oci.image.index.v1+json' },
  );
  expect(text(rootOf(context, await add(layout.archive(index))), 'own')).toBe('1');
});

test('of several images, that of the name is added', async () => {
  const image = (tag: string) => ({ layers: [tarOf(shell, { name: tag })], tags: [`${tag}:1`] });
  const archive = dockerArchive(image('one'), image('two'));
  expect(readdirSync(rootOf(context, await add(archive, 'two:1')))).toContain('two');
  expect(await failureOf(add(archive, 'three'))).toMatchObject({
    code: 'archive-refused',
    message: expect.stringMatching(/several images.*"one:1", "two:1"/) as unknown,
  });
  const layout = new OciLayout();
  const named = (name: string) =>
    layout.image({ layers: [tarOf(shell, { name })] }, { annotations: { 'io.containerd.image.name': name } });
  const [a, b] = [named('a:1'), named('b:1')];
  expect(readdirSync(rootOf(context, await add(layout.archive(a, b), 'b:1')))).toContain('b:1');
});

const layer = tarOf(shell);
const damaged = Buffer.from(layer).fill('?', 512, 513);
const [blob, config, manifest] = dockerMembers({ layers: [layer] }) as [Member, Member, Member];

test.each<[string, () => Buffer, RegExp]>([
  ['nothing', () => Buffer.alloc(0), /no "index.json"/],
  ['no archive', () => Buffer.from('hello'.repeat(1000)), /no sound tar file/],
  [
    'an archive that is cut off',
    () => dockerArchive({ layers: [layer] }).subarray(0, 1500),
    /no sound tar file/,
  ],
  [
    'gzip that is cut off',
    () => gzipSync(dockerArchive({ layers: [layer] })).subarray(0, 200),
    /no sound tar file/,
  ],
  ['a lost layer', () => tarOf(config, manifest), /no "[0-9a-f]+\/layer.tar"/],
  ['a lost configuration', () => tarOf(blob, manifest), /no "[0-9a-f]+\.json"/],
  ['a damaged layer', () => dockerArchive({ layers: [layer], stored: [damaged] }), /damaged/],
  ['a manifest that is no JSON', () => tarOf({ name: 'manifest.json', content: '{' }), /no JSON/],
  ['an empty manifest', () => tarOf({ name: 'manifest.json', content: '[]' }), /not what it should be/],
  [
    'another number of layers',
    () => dockerArchive({ layers: [layer], document: { rootfs: { diff_ids: [] } } }),
    /1 layers/,
  ],
  [
    'another machine',
    () => dockerArchive({ layers: [layer], document: { architecture: 'mips' } }),
    /linux\/mips/,
  ],
  ['another system', () => dockerArchive({ layers: [layer], document: { os: 'windows' } }), /windows/],
  ['no shell', () => dockerArchive({ layers: [tarOf({ name: 'bin/sh', type: '5' })] }), /no \/bin\/sh/],
  [
    'a shell that is a link to itself',
    () => dockerArchive({ layers: [tarOf({ name: 'bin/sh', type: '2', link: 'sh' })] }),
    /no \/bin\/sh/,
  ],
])('%s is refused, and nothing is left of it', async (_what, archive, why) => {
  expect(await failureOf(add(archive()))).toMatchObject({
    code: 'archive-refused',
    message: expect.stringMatching(why) as unknown,
  });
  expect(await listImages(context)).toEqual([]);
});

test('a refused image leaves the earlier one of its name', async () => {
  const image = await add(dockerArchive({ layers: [layer] }));
  await failureOf(add(tarOf(config)));
  expect(await listImages(context)).toEqual([image]);
  expect(existsSync(path.join(rootOf(context, image), 'bin/sh'))).toBe(true);
});

test('OCI layouts with a damaged blob, or with indexes without an end, are refused', async () => {
  const layout = new OciLayout();
  const image = layout.image({ layers: [layer] });
  layout.members[0] = { ...(layout.members[0] as Member), content: damaged };
  expect(await failureOf(add(layout.archive(image)))).toMatchObject({
    message: expect.stringMatching(/checksum differs/) as unknown,
  });
  const nested = new OciLayout();
  const mediaType = 'application/vnd.docker.distribution.manifest.list.v2+json';
  let inner = nested.image({ layers: [layer] });
  for (let depth = 0; depth < 5; depth += 1) inner = nested.add({ manifests: [inner] }, { mediaType });
  expect(await failureOf(add(nested.archive(inner)))).toMatchObject({
    message: expect.stringMatching(/too deeply/) as unknown,
  });
});

test('an image that is too large is refused by what comes out of it', async () => {
  const big = tarOf(shell, { name: 'zeros', content: Buffer.alloc(3_000_000) });
  const archive = gzipSync(dockerArchive({ layers: [big], stored: [gzipSync(big)] }));
  const limits = { maxBytes: 1_000_000, minFreeBytes: 0 };
  expect(await failureOf(add(archive, 'demo', limits))).toMatchObject({ code: 'payload-too-large' });
  const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
  expect(await failureOf(add(bomb))).toMatchObject({
    code: 'payload-too-large',
    message: expect.stringMatching(/ratio/) as unknown,
  });
});

test('all images share the limit; a new one of a name counts in place of the earlier one', async () => {
  const archive = dockerArchive({ layers: [layer] });
  const limits = { maxBytes: 20_000, minFreeBytes: 0 };
  await add(dockerArchive({ layers: [tarOf(shell, { name: 'x', content: 'x'.repeat(9000) })] }), 'a', limits);
  await add(archive, 'a', limits);
  await add(archive, 'b', limits);
  expect(await failureOf(add(archive, 'c', { maxBytes: 24, minFreeBytes: 0 }))).toMatchObject({
    code: 'quota-exceeded',
  });
  expect(await failureOf(add(archive, 'c', { maxBytes: Infinity, minFreeBytes: 2 ** 60 }))).toMatchObject({
    code: 'disk-full',
  });
});

test.each(['', '../x', 'A:1', 'a:', 'a b', 'a/../b', 'a:b/c:d', `a:${'t'.repeat(129)}`, 'é', 'a@sha256:0'])(
  'the name %j is refused',
  async (name) => {
    expect(await failureOf(add(dockerArchive({ layers: [layer] }), name))).toMatchObject({
      code: 'invalid-request',
    });
  },
);

test('an interrupted addition says so, and leaves nothing', async () => {
  const interruption = new AbortController();
  context = { ...context, interrupted: interruption.signal };
  async function* stopping(): AsyncGenerator<Buffer> {
    yield dockerArchive({ layers: [layer] }).subarray(0, 600);
    await Promise.resolve();
    interruption.abort(new Error('interrupted by SIGTERM'));
    throw new Error('aborted');
  }
  await expect(addImage(context, 'demo', stopping(), noLimits)).rejects.toThrow('interrupted by SIGTERM');
});
