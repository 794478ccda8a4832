import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { listImages } from '../../../../src/engine/images/image-store.ts';
import { rootOf } from '../../../../src/engine/images/trees.ts';
import { tarOf, type Member } from '../../../support/archives.ts';
import {
  dockerArchive,
  dockerMembers,
  OciLayout,
  ownArchitecture,
  shell,
} from '../../../support/image-archives.ts';
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

const text = (root: string, file: string): string => readFileSync(path.join(root, file), 'utf8');

test('a file that stands twice in the archive counts as the later one', async () => {
  const [one, two, manifest] = dockerMembers({ layers: [tarOf(...shell)] }) as [Member, Member, Member];
  const wrong = { ...manifest, content: '{' };
  expect(await add(tarOf(one, wrong, two, one, manifest))).toMatchObject({ name: 'demo:1' });
});

test.each([
  ['gzip of all', (archive: Buffer) => gzipSync(archive), undefined],
  ['gzip of the layers', (archive: Buffer) => archive, gzipSync],
])('%s is unpacked', async (_how, outer, inner) => {
  const layer = tarOf(...shell, { name: 'a', content: 'x'.repeat(100_000) });
  const image = await add(
    outer(dockerArchive({ layers: [layer], ...(inner && { stored: [inner(layer)] }) })),
  );
  expect(text(rootOf(place.context, image), 'a')).toHaveLength(100_000);
});

test('of two equal layers, Docker 24 writes one as a link', async () => {
  const layer = tarOf(...shell);
  const members = dockerMembers({ layers: [layer, layer] });
  const [one, , config, manifest] = members;
  const other = { name: 'b/layer.tar', type: '2', link: `../${String(one?.name)}` };
  const document = JSON.parse(String(manifest?.content)) as [{ Layers: string[] }];
  document[0].Layers[1] = 'b/layer.tar';
  const archive = tarOf(one as Member, other, config as Member, {
    name: 'manifest.json',
    content: JSON.stringify(document),
  });
  expect(readdirSync(rootOf(place.context, await add(archive)))).toEqual(['bin', 'usr']);
});

test('an OCI layout has the image for this machine in an index of an index', async () => {
  const layout = new OciLayout();
  const own = { architecture: ownArchitecture, os: 'linux' };
  const foreign = { architecture: 'mips', os: 'linux' };
  const layer = tarOf(...shell, { name: 'own', content: '1' });
  const right = layout.image({ layers: [layer], stored: [gzipSync(layer)] }, { platform: own });
  const wrong = layout.image({ layers: [tarOf(...shell)] }, { platform: foreign });
  const index = layout.add(
    { manifests: [wrong, right] },
    { mediaType: 'application/vnd.oci.image.index.v1+json' },
  );
  expect(text(rootOf(place.context, await add(layout.archive(index))), 'own')).toBe('1');
});

test('of several images, that of the name is added', async () => {
  const image = (tag: string) => ({ layers: [tarOf(...shell, { name: tag })], tags: [`${tag}:1`] });
  const archive = dockerArchive(image('one'), image('two'));
  expect(readdirSync(rootOf(place.context, await add(archive, 'two:1')))).toContain('two');
  expect(await failureOf(add(archive, 'three'))).toMatchObject({
    code: 'archive-refused',
    message: expect.stringMatching(/several images.*"one:1", "two:1"/) as unknown,
  });
  const layout = new OciLayout();
  const named = (name: string) =>
    layout.image(
      { layers: [tarOf(...shell, { name })] },
      { annotations: { 'io.containerd.image.name': name } },
    );
  const [a, b] = [named('a:1'), named('b:1')];
  expect(readdirSync(rootOf(place.context, await add(layout.archive(a, b), 'b:1')))).toContain('b:1');
});

const layer = tarOf(...shell);
const damaged = Buffer.from(layer).fill('?', 512, 513);
const [blob, config, manifest] = dockerMembers({ layers: [layer] }) as [Member, Member, Member];

test.each<[string, () => Buffer, RegExp]>([
  ['nothing', () => Buffer.alloc(0), /it is empty/],
  ['a file of xz', () => Buffer.from('fd377a585a0000', 'hex'), /compressed with xz/],
  ['a root file system', () => tarOf(...shell), /make it with "docker save"/],
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
  ['no env', () => dockerArchive({ layers: [tarOf({ name: 'bin/sh', mode: 0o755 })] }), /no \/usr\/bin\/env/],
  ['a variable with NUL', () => dockerArchive({ layers: [layer], config: { Env: ['A=\0'] } }), /NUL/],
  [
    'a header with a strange number',
    () => tarOf({ name: 'a', size: Buffer.from('c0ffee', 'hex') }),
    /a number that cannot be read/,
  ],
  ['a link to nothing', () => tarOf({ name: 'manifest.json', type: '2' }), /make it with|it is empty/],
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
  expect(await listImages(place.context)).toEqual([]);
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
  const big = tarOf(...shell, { name: 'zeros', content: Buffer.alloc(3_000_000) });
  const archive = gzipSync(dockerArchive({ layers: [big], stored: [gzipSync(big)] }));
  const limits = { maxBytes: 1_000_000, minFreeBytes: 0 };
  expect(await failureOf(add(archive, 'demo', limits))).toMatchObject({ code: 'quota-exceeded' });
  const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
  expect(await failureOf(add(bomb))).toMatchObject({
    code: 'payload-too-large',
    message: expect.stringMatching(/ratio/) as unknown,
  });
});
