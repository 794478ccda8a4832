/**
 * Archives that were made to write elsewhere, to come apart later, or to fill the disk: over 500 of them. Each is refused as a
 * whole, and nothing outside the workspace, and nothing in it, is any different afterwards.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  paxMembers,
  paxRecord,
  tarGzOf,
  tarOf,
  zipOf,
  type Member,
  type ZipMember,
} from '../support/archives.ts';
import { harmful } from '../../src/lib/text/harmless-text.ts';
import { requirement } from '../support/requirements.ts';
import { startService, type RunningService } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { isThorough, leftOut } from '../support/thorough.ts';

let service: RunningService;
const outside = path.join('/tmp', `lab-api-hostile-${process.pid}`);
const count = { refused: 0 };
const damagedEvery = isThorough ? 3 : 9;
beforeAll(async () => {
  service = await startService({
    env: {
      LAB_API_MAX_FILE_SIZE: '8MiB',
      LAB_API_MAX_WORKSPACE_SIZE: '16MiB',
      LAB_API_MAX_WORKSPACE_FILES: '100',
    },
  });
  await send(tarGzOf({ name: 'keep', content: 'as it was' }), 'application/gzip');
});

const send = async (body: Buffer, type: string) =>
  service.request('/workspaces/victim', { method: 'PUT', body, headers: { 'Content-Type': type } });

/** Every file of the service's own, but for those that change by themselves. */
function tree(): string[] {
  const all = readdirSync(service.ground.root, { recursive: true, withFileTypes: true });
  return all
    .map((entry) => path.relative(service.ground.root, path.join(entry.parentPath, entry.name)))
    .filter((name) => !name.startsWith('fake-lab-state'))
    .toSorted();
}

async function expectRefused(body: Buffer, type = 'application/gzip'): Promise<void> {
  const before = tree();
  const reply = await send(body, type);
  expect([413, 422]).toContain(reply.status);
  expect(String(reply.json.detail)).not.toMatch(harmful);
  expect(tree()).toEqual(before);
  expect(existsSync(outside)).toBe(false);
  count.refused += 1;
}

const plain: Member = { name: 'plain', content: 'x' };
const up = (levels: number, rest: string): string => `${'../'.repeat(levels)}${rest}`;
const badNames: readonly (string | Buffer)[] = [
  '..',
  '../x',
  './../x',
  'a/../../x',
  'a/b/../../../x',
  'a/..',
  '/',
  outside,
  `/${outside}`,
  `.//..//${outside}`,
  up(12, outside),
  up(30, outside.slice(1)),
  'a\\b',
  'a\u202egpj\u2066',
  '..\\x',
  'C:\\x',
  'a\nb',
  'a\rb',
  'a\tb',
  '\u001b[2Jx',
  'a\u007f',
  Buffer.from([0xff, 0xfe, 0x61]),
  Buffer.from([0x61, 0xc3]),
  Buffer.from([0x2e, 0x2e, 0x2f, 0xff]),
  Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x78]),
  'a\u0085b',
  'a\u2028b',
];

if (!isThorough) test.skip(`damage at two places of three (skipped: ${leftOut})`, () => undefined);
describe('a tar.gz', () => {
  test.each(badNames)('with the name %j', async (name) => {
    for (const type of ['0', '5']) {
      await expectRefused(tarGzOf(plain, { name, content: type === '0' ? 'x' : '', type }));
      await expectRefused(tarGzOf({ name, type }, plain));
      const text = Buffer.from(name).toString('latin1');
      const long = { name: '././@LongLink', type: 'L', content: Buffer.from(`${text}\0`, 'latin1') };
      await expectRefused(tarGzOf(plain, long, { name: 'short', type }));
      const record = Buffer.from(paxRecord('path', text), 'latin1');
      await expectRefused(
        tarGzOf(plain, { name: 'pax', type: 'x', content: record }, { name: 'short', type }),
      );
      // That of all files counts where a file has an extended header of its own.
      const ofAll = { name: 'pax', type: 'g', content: record };
      const own = { name: 'pax', type: 'x', content: paxRecord('comment', 'x') };
      await expectRefused(tarGzOf(plain, ofAll, own, { name: 'short', type }));
    }
  });

  test.each(['1', '2', '3', '4', '6', '7', 'S', 'V', 'M', 'D', 'Z', 'A'])(
    'with an entry of type %s',
    async (type) => {
      for (const link of ['/etc/passwd', '..', '.', 'plain', outside]) {
        await expectRefused(tarGzOf(plain, { name: 'odd', type, link }));
        await expectRefused(tarGzOf(plain, { name: 'odd', type, link }, { name: 'odd/x', content: 'x' }));
      }
    },
  );

  test.each([
    ['a size that is no number', [{ name: 'x', size: Buffer.from('c0ffee', 'hex') }]],
    ['a file twice', [plain, plain]],
    ['a file, then a directory', [plain, { name: 'plain', type: '5' }]],
    ['a file, then one in it', [plain, { name: 'plain/x' }]],
    ['a directory, then a file', [{ name: 'plain', type: '5' }, plain]],
    ['a directory that is there, then a file', [{ name: 'plain/x' }, plain]],
    ['capitals', [plain, { name: 'PLAIN' }]],
    ['capitals of directories', [{ name: 'a/x' }, { name: 'A/y' }]],
    ['an accent in two ways', [{ name: 'caf\u00e9' }, { name: 'cafe\u0301' }]],
    ['a Kelvin sign', [{ name: 'k' }, { name: '\u212a' }]],
    ['a sharp s', [{ name: 'stra\u00dfe' }, { name: 'STRASSE' }]],
    ['the same path written in two ways', [{ name: 'a/x' }, { name: './a//x' }]],
    ['no name', [{ name: './', content: 'x', type: '7' }]],
  ] satisfies [string, Member[]][])('with %s', async (_what, members) => {
    await expectRefused(tarGzOf(...members));
  });

  test.each([
    ['a sparse file', [{ name: 'pax', type: 'x', content: paxRecord('GNU.sparse.major', '1') }, plain]],
    [
      'an older sparse file',
      [{ name: 'pax', type: 'x', content: paxRecord('GNU.sparse.map', '0,1') }, plain],
    ],
    ['more than there is', [{ ...plain, size: 5000 }]],
    ['far more than there is', [{ ...plain, size: 0o77777777777 }]],
    ['a negative size', [{ name: 'pax', type: 'x', content: paxRecord('size', '-1') }, plain]],
    ['a size that is no number', [{ name: 'pax', type: 'x', content: paxRecord('size', 'x') }, plain]],
    [
      'a header of 5 MiB',
      [{ name: 'pax', type: 'x', content: paxRecord('comment', 'x'.repeat(5 << 20)) }, plain],
    ],
    ['a name of 300 bytes', paxMembers('n'.repeat(300))],
    ['a path of 2,000 bytes', paxMembers(`${'n'.repeat(99)}/`.repeat(20))],
    ['40 directories', paxMembers(`${'d/'.repeat(40)}x`)],
    ['101 files', Array.from({ length: 101 }, (_, index) => ({ name: `file-${index}` }))],
    [
      '101 directories',
      Array.from({ length: 20 }, (_, index) => ({ name: `${index}/a/b/c/d/e`, type: '5' })),
    ],
    ['a file over the limit', [{ name: 'large', content: Buffer.alloc(8 * 1024 * 1024 + 1) }]],
    [
      'files over the limit',
      [1, 2, 3].map((n) => ({ name: `${n}`, content: Buffer.alloc(6 * 1024 * 1024) })),
    ],
  ] satisfies [string, readonly Member[]][])('with %s', async (_what, members) => {
    await expectRefused(tarGzOf(...members));
  });

  test('that is damaged, wherever', async () => {
    const sound = tarGzOf({ name: 'first', content: 'a'.repeat(3000) }, { name: 'd/second', content: 'b' });
    for (let length = 1; length < sound.length; length += damagedEvery)
      await expectRefused(sound.subarray(0, length));
    for (let at = 10; at < sound.length; at += damagedEvery) {
      const flipped = Buffer.from(sound);
      flipped[at] = (flipped[at] ?? 0) ^ 0x55;
      await expectRefused(flipped);
    }
    const tar = tarOf({ name: 'first', content: 'a'.repeat(3000) });
    for (const at of [0, 100, 124, 148, 156, 257]) {
      const flipped = Buffer.from(tar);
      flipped[at] = (flipped[at] ?? 0) ^ 0x55;
      await expectRefused(gzipSync(flipped));
    }
    await expectRefused(tar);
    await expectRefused(gzipSync(Buffer.alloc(700, 1)));
    await expectRefused(Buffer.from('no archive'));
  });
});

describe('a zip', () => {
  const zip = 'application/zip';
  const first: ZipMember = { name: 'plain', content: 'x' };

  test.each(badNames)('with the name %j', async (name) => {
    for (const flags of [0, 0x800]) {
      // In the old alphabet of zip, every byte is a sign that can be seen.
      if (flags === 0 && Buffer.from(name).some((byte) => byte > 0x7e || byte < 0x20)) continue;
      await expectRefused(zipOf(first, { name, content: 'x', flags }), zip);
      await expectRefused(zipOf({ name, isStored: true, flags }, first), zip);
    }
  });

  test.each([
    ['a symbolic link', [{ name: 'link', content: '/etc', mode: 0o120777 }]],
    ['a device', [{ name: 'null', mode: 0o020666 }]],
    ['a pipe', [{ name: 'pipe', mode: 0o010644 }]],
    ['a socket', [{ name: 'socket', mode: 0o140644 }]],
    ['a file that is called like a directory', [{ name: 'a/', mode: 0o100644 }]],
    ['a directory that is called like a file', [{ name: 'a', mode: 0o040755 }]],
    ['a link that is called like a directory', [{ name: 'a/', content: '/etc', mode: 0o120777 }]],
    ['an encrypted file', [{ name: 'a', content: 'x', flags: 0x801 }]],
    ['a file twice', [first, first]],
    ['a file, then one in it', [first, { name: 'plain/x' }]],
    ['capitals', [first, { name: 'Plain' }]],
    ['an accent in two ways', [{ name: 'caf\u00e9' }, { name: 'cafe\u0301' }]],
    ['less than there is', [{ name: 'a', content: 'x'.repeat(5000), claimedSize: 10 }]],
    ['more than there is', [{ name: 'a', content: 'x', claimedSize: 5000 }]],
    ['a name of 300 bytes', [{ name: 'n'.repeat(300) }]],
    ['40 directories', [{ name: `${'d/'.repeat(40)}x` }]],
    ['101 files', Array.from({ length: 101 }, (_, index) => ({ name: `file-${index}` }))],
    ['a file over the limit', [{ name: 'large', content: Buffer.alloc(8 * 1024 * 1024 + 1) }]],
    ['what would be a gigabyte', [{ name: 'large', content: 'x', claimedSize: 2 ** 30 }]],
  ] satisfies [string, readonly ZipMember[]][])('with %s', async (_what, members) => {
    await expectRefused(zipOf(...members), zip);
  });

  test('that is damaged, wherever', async () => {
    const sound = zipOf({ name: 'first', content: 'a'.repeat(3000) }, { name: 'd/second', content: 'b' });
    for (let length = 1; length < sound.length; length += damagedEvery)
      await expectRefused(sound.subarray(0, length), zip);
    await expectRefused(Buffer.from('no archive'), zip);
  });
});

const directory = temporaryDirectory();
const python = requirement('python3');

(python.missing === undefined ? test : test.skip)(
  `what Python makes of names, links and devices${python.missing ? ` (${python.missing})` : ''}`,
  async () => {
    const script = path.join(directory, 'make.py');
    writeFileSync(
      script,
      `import io, sys, tarfile, zipfile, stat
out, outside = sys.argv[1], sys.argv[2]
names = ['../x', outside, 'a/../../x', '..', 'a\\\\b', 'a\\nb', '../' * 9 + outside, 'x' * 300]
types = [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.CONTTYPE]
number = 0
def tar(format, *members):
    global number
    number += 1
    with tarfile.open(f'{out}/{number}.tar.gz', 'w:gz', format=format) as archive:
        for info, data in members:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
for format in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
    for name in names:
        if format == tarfile.USTAR_FORMAT and len(name) > 250: continue
        tar(format, (tarfile.TarInfo(name), b'x'))
    for kind in types:
        for target in ('/etc', '../..', 'plain'):
            info = tarfile.TarInfo('odd')
            info.type, info.linkname = kind, target
            tar(format, (tarfile.TarInfo('plain'), b'x'), (info, b''))
for name in names:
    if '\\n' in name: continue
    number += 1
    with zipfile.ZipFile(f'{out}/{number}.zip', 'w') as archive:
        info = zipfile.ZipInfo('short')
        info.filename = name
        archive.writestr(info, 'x')
for mode in (stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK):
    number += 1
    with zipfile.ZipFile(f'{out}/{number}.zip', 'w') as archive:
        info = zipfile.ZipInfo('odd')
        info.create_system, info.external_attr = 3, (mode | 0o777) << 16
        archive.writestr(info, '/etc')
`,
    );
    execFileSync(python.file, [script, directory, outside]);
    const made = readdirSync(directory).filter((name) => name !== 'make.py');
    expect(made.length).toBeGreaterThan(80);
    for (const name of made)
      await expectRefused(
        readFileSync(path.join(directory, name)),
        name.endsWith('.zip') ? 'application/zip' : 'application/gzip',
      );
  },
);

test('over 500 of them were refused, and the workspace is as it was', () => {
  expect(count.refused).toBeGreaterThan(500);
  const workspace = path.join(service.ground.dataDir, 'workspaces', 'victim');
  expect(readdirSync(workspace)).toEqual(['keep']);
  expect(readFileSync(path.join(workspace, 'keep'), 'utf8')).toBe('as it was');
});
