import { expect, test } from '@jest/globals';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkDataDir, checkDisk } from '../../../src/doctor/data-dir.ts';
import { ownDataDir } from '../../../src/jobs/store/data-dir-owner.ts';
import { subjectOf } from '../../support/doctor.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? test : test.skip;
const asUser = isRoot ? test.skip : test;

function directory(name: string, mode = 0o700): string {
  const made = path.join(root, name);
  mkdirSync(made);
  chmodSync(made, mode);
  return made;
}
const check = async (dataDir: string) => checkDataDir(subjectOf({ LAB_API_DATA_DIR: dataDir }));

test('one that is still to be made', async () => {
  const dataDir = path.join(root, 'not', 'yet');
  expect(await check(dataDir)).toEqual({ kind: 'ok', detail: `${dataDir} will be created with mode 0700` });
});

test('one that nobody uses, and one that a service has; the lock is left alone', async () => {
  const dataDir = directory('used');
  expect(await check(dataDir)).toMatchObject({
    kind: 'ok',
    detail: expect.stringContaining('no service uses it'),
  });
  const giveUp = await ownDataDir(dataDir);
  expect(await check(dataDir)).toMatchObject({
    kind: 'ok',
    detail: expect.stringContaining(`in use by the service with process id ${process.pid}`),
  });
  await giveUp();
  expect(await check(dataDir)).toMatchObject({ detail: expect.stringContaining('no service uses it') });
});

test('one that others may look into', async () => {
  const dataDir = directory('open', 0o755);
  expect(await check(dataDir)).toEqual({
    kind: 'warning',
    detail: `${dataDir} has mode 0755: other users have access to it`,
    remedy: `chmod 0700 ${dataDir}`,
  });
});

test('a file in its place, or on the way to it', async () => {
  const file = path.join(root, 'file');
  writeFileSync(file, '');
  const failed = { kind: 'failed', detail: `${file} is not a directory` };
  expect(await check(file)).toMatchObject(failed);
  expect(await check(path.join(file, 'below'))).toMatchObject(failed);
});

asUser('one that may not be written (skipped: root may write everywhere)', async () => {
  const dataDir = directory('read-only', 0o500);
  expect(await check(dataDir)).toMatchObject({
    kind: 'failed',
    detail: expect.stringMatching(/cannot be written by/),
  });
});

asRoot('files that another user made there (skipped: only root can make some)', async () => {
  const dataDir = directory('mixed');
  mkdirSync(path.join(dataDir, 'jobs'));
  chownSync(path.join(dataDir, 'jobs'), 65_534, 65_534);
  expect(await check(dataDir)).toEqual({
    kind: 'failed',
    detail: `${dataDir} belongs to user 0, but not ${path.join(dataDir, 'jobs')}`,
    remedy: `chown -R 0:0 ${dataDir}`,
  });
});

asRoot('the directory of another user (skipped: only root can make one)', async () => {
  const dataDir = directory('foreign');
  chownSync(dataDir, 65_534, 65_534);
  expect(await check(dataDir)).toMatchObject({
    kind: 'warning',
    detail: expect.stringMatching(/belongs to another user \(uid 65534\)/),
    remedy: expect.stringContaining(`chown -R 0 ${dataDir}`),
  });
});

test('free disk, above the minimum and below', async () => {
  const disk = async (floor: string) =>
    checkDisk(subjectOf({ LAB_API_DATA_DIR: root, LAB_API_MIN_FREE_DISK: floor }));
  expect(await disk('1KiB')).toMatchObject({
    kind: 'ok',
    detail: expect.stringContaining('the minimum is 1 KiB'),
  });
  expect(await disk('4000TiB')).toMatchObject({
    kind: 'failed',
    remedy: expect.stringContaining('LAB_API_MIN_FREE_DISK'),
  });
});
