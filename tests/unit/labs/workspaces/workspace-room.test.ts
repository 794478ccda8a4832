import { describe, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { WorkspaceRoom } from '../../../../src/labs/workspaces/workspace-room.ts';
import { WorkspaceSizes } from '../../../../src/labs/workspaces/workspace-sizes.ts';
import { AppError } from '../../../../src/lib/app-error.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { mebi } from './ground.ts';

const directory = temporaryDirectory();

interface Limits {
  readonly maxTotalBytes: number;
  readonly minFreeBytes?: number;
}

/** Each workspace belongs to `ann`. */
function room(
  limits: Limits,
  { place = directory, unseenBytes = 0, assertWithinQuota = (): void => undefined } = {},
) {
  const names = unseenBytes > 0 ? ['old'] : [];
  for (const name of names) {
    mkdirSync(path.join(place, name));
    writeFileSync(path.join(place, name, 'file'), 'x'.repeat(unseenBytes));
  }
  const store = { names: async () => Promise.resolve(names) };
  const log = new MemoryLogger();
  const sizes = new WorkspaceSizes({
    pathOf: (name) => path.join(place, name),
    limits: { maxFiles: 100 },
    log,
  });
  const workspaces = { sizes, limits: { minFreeBytes: 0, ...limits }, ownerOf: () => 'ann', store };
  const quotas = { limitsWorkspacesOf: () => true, assertWithinQuota };
  return { sizes, all: new WorkspaceRoom(workspaces, () => place, quotas) };
}

describe('of the room of all workspaces', () => {
  test('uploads take as much as there is, and no byte more', async () => {
    const { sizes, all } = room({ maxTotalBytes: 10 });
    sizes.noteReplaced('course', { size: 4, files: 1, entries: 1 });
    const upload = all.open({ owner: 'ann' });
    await upload.take(3);
    await upload.take(3);
    expect(await failureOf(upload.take(1))).toMatchObject({
      code: 'quota-exceeded',
      message: expect.stringMatching(/10 bytes.*LAB_API_MAX_ALL_WORKSPACES_SIZE/),
    });
  });

  test('what an upload took is free again when it is closed, once', async () => {
    const { all } = room({ maxTotalBytes: 10 });
    const first = all.open({ owner: 'ann' });
    await first.take(10);
    expect((await failureOf(all.open({ owner: 'ann' }).take(1))).code).toBe('quota-exceeded');
    // The upload that was refused was not closed.
    for (const _ of [1, 2]) first.close();
    await all.open({ owner: 'ann' }).take(9);
    expect((await failureOf(all.open({ owner: 'ann' }).take(1))).code).toBe('quota-exceeded');
  });

  test('the files that are to be replaced take none', async () => {
    const { sizes, all } = room({ maxTotalBytes: 10 });
    sizes.noteReplaced('course', { size: 8, files: 1, entries: 1 });
    sizes.noteReplaced('other', { size: 1, files: 1, entries: 1 });
    const upload = all.open({ owner: 'ann', replaced: 'course' });
    await upload.take(9);
    expect((await failureOf(upload.take(1))).code).toBe('quota-exceeded');
  });
});

describe('the usage of an owner', () => {
  test('has the files of workspaces, and uploads until they are closed', async () => {
    const { sizes, all } = room({ maxTotalBytes: 100 });
    sizes.noteReplaced('course', { size: 8, files: 1, entries: 1 });
    const upload = all.open({ owner: 'sue' });
    await upload.take(5);
    await all.open({ owner: 'ann' }).take(1);
    expect([...all.bytesByOwner()]).toEqual(
      expect.arrayContaining([
        ['ann', 9],
        ['sue', 5],
      ]),
    );
    upload.close();
    expect([...all.bytesByOwner()]).toEqual([['ann', 9]]);
  });

  test('grows by the part of an upload that is larger than the files that go', async () => {
    const asked: unknown[] = [];
    const assertWithinQuota = (...upload: unknown[]): void => void asked.push(upload);
    const { sizes, all } = room({ maxTotalBytes: 100 }, { assertWithinQuota });
    sizes.noteReplaced('course', { size: 8, files: 1, entries: 1 });
    const upload = all.open({ owner: 'ann', replaced: 'course' });
    await upload.take(5);
    await upload.take(4);
    expect(asked).toEqual([
      ['ann', 0, -3],
      ['ann', 5, 1],
    ]);
  });

  test('is as before when a part is refused', async () => {
    const assertWithinQuota = (): never => {
      throw new AppError('over-quota', 'no');
    };
    const { all } = room({ maxTotalBytes: 100 }, { assertWithinQuota, unseenBytes: 2 });
    const upload = all.open({ owner: 'ann' });
    expect((await failureOf(upload.take(5))).code).toBe('over-quota');
    // The unknown size was measured first.
    expect([...all.bytesByOwner()]).toEqual([['ann', 2]]);
  });
});

describe('the floor of the free disk', () => {
  test('stops none above it, nor where the system does not tell', async () => {
    await room({ maxTotalBytes: 1, minFreeBytes: 1 }).all.assertFreeDisk();
    const silent = { maxTotalBytes: 1, minFreeBytes: Number.MAX_VALUE };
    await room(silent, { place: path.join(directory, 'missing') }).all.assertFreeDisk();
  });

  test('is looked at once in 16 MiB of an upload', async () => {
    const limits = { maxTotalBytes: 100 * mebi, minFreeBytes: Number.MAX_VALUE };
    const upload = room(limits).all.open({ owner: 'ann' });
    for (const _ of [1, 2]) {
      await upload.take(16 * mebi - 1);
      expect((await failureOf(upload.take(1))).code).toBe('disk-full');
    }
  });
});
