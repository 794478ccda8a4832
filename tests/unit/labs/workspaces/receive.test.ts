import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { AppError } from '../../../../src/lib/app-error.ts';
import type { ArchiveFormat } from '../../../../src/lib/archives/pack.ts';
import { receiveArchive, receiveFile, type Body } from '../../../../src/labs/workspaces/receive.ts';
import type { UploadRoom } from '../../../../src/labs/workspaces/workspace-room.ts';
import { tarGzOf, tarOf, zipOf, type Member } from '../../../support/archives.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { openedBelow } from '../../../support/opened-below.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { bodyOf, treeOf } from './ground.ts';

const base = temporaryDirectory();
let directory: string;
/** How much each call of `take` was asked for. */
let asked: number[];
const at = (name: string): string => path.join(directory, name);

beforeEach(() => {
  directory = mkdtempSync(path.join(base, 'receive-'));
  asked = [];
});

/** Room for so many bytes. */
function roomFor(bytes: number): UploadRoom {
  let left = bytes;
  return {
    take: async (more) => {
      asked.push(more);
      left -= more;
      if (left < 0) throw new AppError('quota-exceeded', 'no room');
    },
    close: () => undefined,
  };
}

describe('a file', () => {
  const receive = async (body: Body, maxBytes = 100, room = roomFor(1000)): Promise<number> =>
    receiveFile(body, at('file'), room, { what: 'the file "a"', maxBytes });

  test('may be as long as its limit, and no byte longer, in however many pieces', async () => {
    expect(await receive(bodyOf('12345', '67890'), 10)).toBe(10);
    directory = mkdtempSync(path.join(base, 'receive-'));
    expect(await failureOf(receive(bodyOf('12345', '67890', '1'), 10))).toMatchObject({
      code: 'payload-too-large',
      message: 'the file "a" is over the limit of 10 bytes',
    });
    expect(readFileSync(at('file'), 'utf8')).toBe('1234567890');
    expect(openedBelow(directory)).toEqual([]);
  });

  test('is a new one: what is there, or where a link leads, is not written', async () => {
    writeFileSync(at('file'), 'old');
    await expect(receive(bodyOf('new'))).rejects.toMatchObject({ code: 'EEXIST' });
    expect(readFileSync(at('file'), 'utf8')).toBe('old');
    directory = mkdtempSync(path.join(base, 'receive-'));
    symlinkSync(at('elsewhere'), at('file'));
    await expect(receive(bodyOf('new'))).rejects.toMatchObject({ code: 'EEXIST' });
    expect(existsSync(at('elsewhere'))).toBe(false);
    expect(asked).toEqual([]);
  });
});

describe('an archive', () => {
  const limits = { maxFileBytes: 1000, maxBytes: 2000, maxEntries: 10, maxRatio: 250 };
  const receive = async (
    format: ArchiveFormat,
    body: Body,
    changes: Partial<typeof limits> = {},
    room = roomFor(100_000),
  ) => {
    mkdirSync(at('files'));
    const place = { directory: at('files'), file: at('archive') };
    return receiveArchive({ format, body }, place, room, { ...limits, ...changes });
  };
  const members = [
    { name: 'topology.yml', content: 'nodes: [a]' },
    { name: 'files/run.sh', content: '#!/bin/sh\n' },
  ];
  const [tar, zip] = [tarGzOf(...members), zipOf(...members)];
  const unpacked = ['files/', 'files/run.sh: #!/bin/sh\n', 'topology.yml: nodes: [a]'];
  const halves = (bytes: Buffer): Body => bodyOf(bytes.subarray(0, 50), bytes.subarray(50));

  test('of zip is kept until it is whole; its own bytes need room as well', async () => {
    const amount = await receive('zip', halves(zip));
    expect(amount).toEqual({ size: 20, files: 2, entries: 3 });
    expect(treeOf(at('files'))).toEqual(unpacked);
    expect(readFileSync(at('archive')).equals(zip)).toBe(true);
    expect(asked).toEqual([50, zip.length - 50, 10, 10]);
    expect(openedBelow(directory)).toEqual([]);
  });

  test('of zip is itself no longer than a workspace, though it holds next to nothing', async () => {
    const long = zipOf({ name: 'a'.repeat(150), content: 'a' }, { name: 'b'.repeat(150), content: 'b' });
    const failure = await failureOf(receive('zip', bodyOf(long), { maxBytes: long.length - 1 }));
    expect(failure).toMatchObject({ code: 'payload-too-large', message: expect.stringContaining('archive') });
    expect(treeOf(at('files'))).toEqual([]);
  });

  test.each([
    ['tar.gz', tar, 15],
    ['zip', zip, zip.length + 15],
  ] as const)('of %s that all workspaces have no room for ends there', async (format, bytes, room) => {
    const failure = await failureOf(receive(format, bodyOf(bytes), {}, roomFor(room)));
    expect(failure.code).toBe('quota-exceeded');
    expect(treeOf(at('files')).join()).not.toContain('#!/bin/sh');
  });

  test.each<[string, ArchiveFormat, Buffer]>([
    ['a checksum that differs', 'zip', zipOf({ name: 'a', content: 'one', claimedSum: 1 })],
    ['a tar file that is cut off after a file', 'tar.gz', gzipSync(tarOf(...members).subarray(0, -1024))],
    ['an empty tar file', 'tar.gz', gzipSync('')],
    ['a file twice', 'zip', zipOf({ name: 'a' }, { name: 'a', content: randomBytes(900_000) })],
  ])('with %s is refused', async (_, format, bytes) => {
    const large = { maxFileBytes: 1_000_000, maxBytes: 2_000_000 };
    const failure = await failureOf(receive(format, bodyOf(bytes), large, roomFor(2_000_000)));
    expect(failure.code).toBe('archive-refused');
    expect(openedBelow(directory)).toEqual([]);
  });

  test.each<[string, Member]>([
    ['a path out of it', { name: '../evil', content: 'evil' }],
    ['an absolute path', { name: '/evil', content: 'evil' }],
    ['a link', { name: 'link', type: '2', link: '..' }],
    ['a hard link', { name: 'link', type: '1', link: '/etc/hostname' }],
    ['a pipe', { name: 'pipe', type: '6' }],
  ])('with %s is refused, and what came before is all there is, in its own place', async (_, member) => {
    const failure = await failureOf(receive('tar.gz', bodyOf(tarGzOf(...members, member))));
    expect(failure.code).toBe('archive-refused');
    expect(readdirSync(directory)).toEqual(['files']);
    expect(treeOf(at('files'))).toEqual(unpacked);
    expect(openedBelow(directory)).toEqual([]);
  });
});
