import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { ImageRoot } from '../../../../src/engine/images/apply-layer.ts';
import { Room } from '../../../../src/engine/images/room.ts';
import { paxMembers, paxRecord, tarOf, type Member } from '../../../support/archives.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { shell } from '../../../support/image-archives.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const base = temporaryDirectory();
let [directory, outside] = ['', ''];

beforeEach(() => {
  const place = path.join(base, String(Math.random()));
  directory = path.join(place, 'root');
  outside = path.join(place, 'outside');
  for (const made of [directory, outside]) mkdirSync(made, { recursive: true });
});

/** Whatever a layer holds, nothing came out of the root. */
afterEach(() => {
  expect(readdirSync(path.dirname(outside)).toSorted()).toEqual(['outside', 'root']);
  expect(readdirSync(outside)).toEqual([]);
});

/** The root file system of an image with these layers. */
async function rootWith(...layers: readonly (readonly Member[])[]): Promise<string> {
  const root = new ImageRoot(directory, new Room(directory, 0, { maxBytes: 5_000_000, minFreeBytes: 0 }));
  for (const [at, members] of layers.entries()) {
    const bytes = tarOf(...(at === 0 ? shell : []), ...members);
    const source = (async function* () {
      await Promise.resolve();
      yield bytes;
    })();
    await root.apply(source, `sha256:${createHash('sha256').update(bytes).digest('hex')}`);
  }
  return directory;
}

const text = (root: string, file: string): string => readFileSync(path.join(root, file), 'utf8');

test('the files of a layer replace those below it, whatever they were', async () => {
  const root = await rootWith(
    [
      { name: 'etc', type: '5', mode: 0o755 },
      { name: 'etc/a', content: 'old' },
      { name: 'etc/dir/x', content: 'x' },
      { name: 'link', type: '2', link: '/etc' },
      { name: 'hard', type: '1', link: 'etc/a' },
    ],
    [
      { name: 'etc', type: '5', mode: 0o750 },
      { name: 'etc/a', content: 'new', mode: 0o4755 },
      { name: 'etc/dir', content: 'a file now' },
      { name: './link', type: '5' },
    ],
  );
  expect([text(root, 'etc/a'), text(root, 'etc/dir'), text(root, 'hard')]).toEqual([
    'new',
    'a file now',
    'old',
  ]);
  expect(lstatSync(path.join(root, 'link')).isDirectory()).toBe(true);
  expect(lstatSync(path.join(root, 'etc')).mode & 0o777).toBe(0o750);
  expect(lstatSync(path.join(root, 'etc/a')).mode & 0o7777).toBe(0o4755);
});

test('whiteouts remove what lower layers have, and not what their own has', async () => {
  const root = await rootWith(
    [
      { name: 'a/one/x', content: '1' },
      { name: 'a/two', content: '2' },
      { name: 'a/new/old', content: '2' },
      { name: 'b', content: '3' },
    ],
    [
      { name: 'a/new/x', content: '4' },
      { name: 'a/.wh..wh..opq' },
      { name: '.wh.b' },
      { name: '.wh.nothing' },
      { name: 'c/.wh.d' },
      { name: '.wh..wh.plnk' },
    ],
  );
  expect(readdirSync(root).toSorted()).toEqual(['a', 'bin', 'usr']);
  expect(readdirSync(path.join(root, 'a'))).toEqual(['new']);
  expect(readdirSync(path.join(root, 'a/new'))).toEqual(['x']);
  expect(text(root, 'a/new/x')).toBe('4');
});

test('a path through links stays inside, as it would in a container', async () => {
  const root = await rootWith([
    { name: 'usr/lib/x', content: '1' },
    { name: 'lib', type: '2', link: 'usr/lib' },
    { name: 'lib/y', content: '2' },
    { name: 'up', type: '2', link: '../../../..' },
    { name: 'up/z', content: '3' },
    { name: 'out', type: '2', link: outside },
    { name: 'out/w', content: '4' },
    { name: 'out/v', type: '1', link: 'out/w' },
    { name: 'out/.wh.u' },
  ]);
  expect([text(root, 'usr/lib/y'), text(root, 'z')]).toEqual(['2', '3']);
  expect(text(path.join(root, outside), 'w')).toBe('4');
  expect(readlinkSync(path.join(root, 'out'))).toBe(outside);
});

test('strange names, devices and pipes do no harm', async () => {
  const root = await rootWith([
    { name: String.raw`a\x2db` },
    ...paxMembers(`${'n'.repeat(200)}/file`, { content: 'long' }),
    { name: 'null', type: '3' },
    { name: 'pipe', type: '6' },
    { name: 'self', content: '1' },
    { name: 'self', type: '1', link: 'self' },
    { name: '/absolute', content: '2' },
  ]);
  expect(readdirSync(root).toSorted()).toEqual([
    'a\\x2db',
    'absolute',
    'bin',
    'n'.repeat(200),
    'self',
    'usr',
  ]);
  expect(text(root, 'self')).toBe('1');
});

const linked = { name: 'etc', type: '2', link: 'etc' };

test.each<[string, readonly Member[], RegExp]>([
  ['a path with ".."', [{ name: 'a/../../x' }], /"\.\." in it/],
  ['a whiteout of ".."', [{ name: 'a/x' }, { name: 'a/.wh...' }], /removes nothing/],
  ['a whiteout without a name', [{ name: 'a/.wh.' }], /removes nothing/],
  ['a link to itself', [linked, { name: 'etc/passwd' }], /too many symbolic links/],
  ['a file as a directory', [{ name: 'a' }, { name: 'a/b' }], /no directory/],
  ['a hard link to nothing', [{ name: 'a', type: '1', link: 'b' }], /hard link/],
  ['a hard link to a directory', [{ name: 'a', type: '1', link: 'bin' }], /hard link/],
  ['a hard link that leads out', [{ name: 'a', type: '1', link: '../../x' }], /"\.\." in it/],
  ['a name that is too long', paxMembers('n'.repeat(300)), /ENAMETOOLONG/],
  ['a link to nowhere', [{ name: 'a', type: '2', link: '' }], /ENOENT/],
  ['a sparse file of GNU tar', [{ name: 'a', type: 'S' }], /sparse/],
  [
    'a sparse file of pax',
    [{ name: 'pax', type: 'x', content: paxRecord('GNU.sparse.major', '1') }, { name: 'a' }],
    /sparse/,
  ],
  ['a path of 300 directories', paxMembers('d/'.repeat(300)), /too deep/],
  ['a name of 5,000 bytes', paxMembers(`${'d'.repeat(200)}/`.repeat(25)), /more than 4096 bytes/],
  [
    'a link through itself, often',
    [
      { name: 'a', type: '2', link: 'd/../'.repeat(20) },
      { name: 'd', type: '5' },
      { name: `${'a/'.repeat(10)}b` },
    ],
    /too many/,
  ],
])('%s is refused', async (_what, members, why) => {
  const error = await failureOf(rootWith(members));
  expect(error).toMatchObject({ code: 'archive-refused', message: expect.stringMatching(why) as unknown });
});

test('the directories of a root file system can be entered by all users, whatever the umask is', async () => {
  const before = process.umask(0o077);
  try {
    const root = await rootWith([{ name: 'made/x' }, { name: 'given', type: '5', mode: 0o750 }]);
    expect(lstatSync(path.join(root, 'made')).mode & 0o777).toBe(0o755);
    expect(lstatSync(path.join(root, 'given')).mode & 0o777).toBe(0o750);
  } finally {
    process.umask(before);
  }
});

test('directories count as well', async () => {
  const many = Array.from({ length: 1300 }, (_, at) => ({ name: `d${at}`, type: '5' }));
  expect(await failureOf(rootWith(many))).toMatchObject({ code: 'quota-exceeded' });
});
