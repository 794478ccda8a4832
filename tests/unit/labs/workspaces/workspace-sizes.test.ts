import { beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { measureTree, WorkspaceRoom } from '../../../../src/labs/workspaces/workspace-sizes.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { openedBelow } from '../../../support/opened-below.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { mebi } from './ground.ts';

const base = temporaryDirectory();
let directory: string;
const at = (...names: readonly string[]): string => path.join(directory, ...names);

beforeEach(() => {
  directory = mkdtempSync(path.join(base, 'sizes-'));
});

describe('the size of a directory', () => {
  test('is that of the files in it and below it; directories and links are entries and no more', async () => {
    mkdirSync(at('a/b'), { recursive: true });
    writeFileSync(at('one'), '1');
    writeFileSync(at('a/b/three'), '333');
    writeFileSync(path.join(base, 'outside'), 'x'.repeat(1000));
    symlinkSync(path.join(base, 'outside'), at('to-file'));
    symlinkSync(base, at('to-directory'));
    linkSync(path.join(base, 'outside'), at('second-name'));
    execFileSync('mkfifo', [at('pipe')]);
    expect(await measureTree(directory)).toMatchObject({ size: 4, files: 2, entries: 8 });
    expect(openedBelow(directory)).toEqual([]);
  });

  test.each(['a', 'a/file', 'b', 'link'])(
    'comes with when something was changed last, as %s',
    async (last) => {
      mkdirSync(at('a'));
      mkdirSync(at('b'));
      writeFileSync(at('a/file'), '');
      symlinkSync('/nowhere', at('link'));
      for (const name of ['a/file', 'a', 'b']) utimesSync(at(name), 1, 1_600_000_000);
      lutimesSync(at('link'), 1, 1_600_000_000);
      lutimesSync(at(last), 1, 1_700_000_000);
      expect((await measureTree(directory)).modifiedMs).toBe(1_700_000_000_000);
    },
  );

  test('is not told of what is no directory, or a link to one', async () => {
    writeFileSync(at('file'), '');
    symlinkSync(base, at('link'));
    await expect(measureTree(at('missing'))).rejects.toMatchObject({ code: 'ENOENT' });
    for (const name of ['file', 'link'])
      await expect(measureTree(at(name))).rejects.toMatchObject({
        code: expect.stringMatching(/^(ENOTDIR|ELOOP)$/),
      });
  });
});

describe('of the room of all workspaces', () => {
  const room = (maxBytes: number, minFreeBytes = 0): WorkspaceRoom =>
    new WorkspaceRoom(() => directory, { maxBytes, minFreeBytes });

  test('uploads take as much as there is, and no byte more', async () => {
    const all = room(10);
    all.measured(4);
    const upload = all.open(0);
    await upload.take(3);
    await upload.take(3);
    expect(await failureOf(upload.take(1))).toMatchObject({
      code: 'quota-exceeded',
      message: expect.stringMatching(/10 bytes.*LAB_API_MAX_ALL_WORKSPACES_SIZE/),
    });
  });

  test('what an upload took is free again when it fails, and only then', async () => {
    const all = room(10);
    const failed = all.open(0);
    await failed.take(10);
    failed.close(false);
    const kept = all.open(0);
    await kept.take(10);
    kept.close(true);
    expect((await failureOf(all.open(0).take(1))).code).toBe('quota-exceeded');
  });

  test('what is on its way is not forgotten when the workspaces are measured', async () => {
    const all = room(10);
    const coming = all.open(0);
    await coming.take(6);
    all.measured(2);
    const other = all.open(0);
    await other.take(2);
    expect((await failureOf(other.take(1))).code).toBe('quota-exceeded');
  });

  test('what has come in is not counted twice when the workspaces are measured', async () => {
    const all = room(10);
    for (const isKept of [true, false]) {
      const done = all.open(0);
      await done.take(5);
      done.close(isKept);
    }
    all.measured(5);
    await all.open(0).take(5);
  });
});

describe('the floor of the free disk', () => {
  test('stops none above it, nor where the system does not tell', async () => {
    const limits = { maxBytes: 1, minFreeBytes: 1 };
    await new WorkspaceRoom(() => directory, limits).assertFreeDisk();
    const silent = { maxBytes: 1, minFreeBytes: Number.MAX_VALUE };
    await new WorkspaceRoom(() => at('missing'), silent).assertFreeDisk();
  });

  test('is looked at once in 16 MiB of an upload', async () => {
    const limits = { maxBytes: 100 * mebi, minFreeBytes: Number.MAX_VALUE };
    const upload = new WorkspaceRoom(() => directory, limits).open(0);
    for (const _ of [1, 2]) {
      await upload.take(16 * mebi - 1);
      expect((await failureOf(upload.take(1))).code).toBe('disk-full');
    }
  });
});
