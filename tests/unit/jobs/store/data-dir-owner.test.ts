import { describe, expect, test } from '@jest/globals';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {
  DataDirBusy,
  DataDirUnsafe,
  inspectDataDir,
  livingOwner,
  ownDataDir,
  prepareDataDir,
} from '../../../../src/jobs/store/data-dir-owner.ts';
import { identify } from '../../../../src/lib/processes/processes.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();

function newDirectory(): string {
  return mkdtempSync(path.join(root, 'data-'));
}

describe('in this process', () => {
  test('the owner is named in a file for its eyes alone', async () => {
    const directory = newDirectory();
    const release = await ownDataDir(directory);
    const file = path.join(directory, 'owner.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(identify(process.pid));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await release();
  });

  test('a second claim is refused until the first is given up', async () => {
    const directory = newDirectory();
    const release = await ownDataDir(directory);
    await expect(ownDataDir(directory)).rejects.toBeInstanceOf(DataDirBusy);
    await release();
    const again = await ownDataDir(directory);
    await again();
  });

  test.each(['', 'garbage', '{"pid":1', JSON.stringify(identify(process.ppid))])(
    'a file that says %j, without a lock on it, owns nothing',
    async (content) => {
      const directory = newDirectory();
      writeFileSync(path.join(directory, 'owner.json'), content);
      const release = await ownDataDir(directory);
      expect(JSON.parse(readFileSync(path.join(directory, 'owner.json'), 'utf8'))).toEqual(
        identify(process.pid),
      );
      await release();
    },
  );
});

test('the living owner is known by its file, and nothing is claimed by asking', async () => {
  const directory = newDirectory();
  expect(await livingOwner(directory)).toBeUndefined();
  expect(readdirSync(directory)).toEqual([]);
  const release = await ownDataDir(directory);
  expect(await livingOwner(directory)).toEqual(identify(process.pid));
  await release();
  expect(await livingOwner(directory)).toBeUndefined();
  writeFileSync(
    path.join(directory, 'owner.json'),
    JSON.stringify({ ...identify(process.pid), startTicks: 1 }),
  );
  expect(await livingOwner(directory)).toBeUndefined();
});

test('whoever has given a directory up is named in it no more', async () => {
  const directory = newDirectory();
  const release = await ownDataDir(directory);
  await expect(ownDataDir(directory)).rejects.toThrow(
    `${directory} is in use by the service with process id ${process.pid};`,
  );
  writeFileSync(path.join(directory, 'owner.json'), '');
  await expect(ownDataDir(directory)).rejects.toThrow(`${directory} is in use by another service;`);
  await release();
  expect(readFileSync(path.join(directory, 'owner.json'), 'utf8')).toBe('');
});

test('a directory within that of another service is refused, and not made', async () => {
  const directory = newDirectory();
  const noted = { version: '1.0.0', log: new MemoryLogger() };
  const release = await prepareDataDir(directory, noted);
  const jobs = path.join(directory, 'jobs');
  mkdirSync(jobs);
  await release();
  const link = path.join(newDirectory(), 'link');
  symlinkSync(jobs, link);
  for (const inner of [jobs, link, path.join(directory, 'workspaces', 'w')])
    await expect(prepareDataDir(inner, noted)).rejects.toThrow(`that of another service, ${directory},`);
  expect(readdirSync(directory).toSorted()).toEqual(['format.json', 'jobs', 'owner.json']);
  const again = await prepareDataDir(directory, noted);
  await again();
});

describe('other users', () => {
  const isRoot = process.getuid?.() === 0;

  test('a link in place of the file is not followed: what it leads to keeps its content', async () => {
    const directory = newDirectory();
    const target = path.join(directory, 'precious');
    writeFileSync(target, 'content');
    symlinkSync(target, path.join(directory, 'owner.json'));
    await expect(ownDataDir(directory)).rejects.toThrow(/^cannot use .*owner\.json: ELOOP/);
    expect(readFileSync(target, 'utf8')).toBe('content');
  });

  (isRoot ? test : test.skip)(
    `the directory of another user is refused, or root warned, with a remedy${isRoot ? '' : ' (only root can give a directory away)'}`,
    async () => {
      const directory = newDirectory();
      chownSync(directory, 65_534, 65_534);
      expect(await inspectDataDir(directory)).toMatch(
        /^the data directory belongs to another user \(uid 65534\)/,
      );
      expect(await inspectDataDir(directory)).toContain(`run "chown -R 0 ${directory}"`);
      const refusal = inspectDataDir(directory, 1);
      await expect(refusal).rejects.toBeInstanceOf(DataDirUnsafe);
      await expect(refusal).rejects.toThrow(`run "chown -R 1 ${directory}"`);
    },
  );

  (isRoot ? test : test.skip)(
    `root says nothing of a volume of the image's own user, and that is no pardon for another one${isRoot ? '' : ' (only root can give a directory away)'}`,
    async () => {
      const directory = newDirectory();
      chownSync(directory, 1000, 1000);
      expect(await inspectDataDir(directory, 0, 1000)).toBeUndefined();
      expect(await inspectDataDir(directory, 0, 1001)).toMatch(/belongs to another user \(uid 1000\)/);
      await expect(inspectDataDir(directory, 1001, 1000)).rejects.toBeInstanceOf(DataDirUnsafe);
      chmodSync(directory, 0o777);
      expect(await inspectDataDir(directory, 0, 1000)).toContain(`run "chmod go-w ${directory}"`);
    },
  );

  (isRoot ? test : test.skip)(
    `a directory of one's own or of root is nobody else's, and that of the jobs in it counts${isRoot ? '' : ' (only root can give a directory away)'}`,
    async () => {
      const directory = newDirectory();
      expect(await inspectDataDir(directory, 1000)).toBeUndefined();
      chownSync(directory, 1000, 1000);
      expect(await inspectDataDir(directory, 1000)).toBeUndefined();
      const jobs = path.join(directory, 'jobs');
      mkdirSync(jobs);
      chownSync(jobs, 65_534, 65_534);
      await expect(inspectDataDir(directory, 1000)).rejects.toThrow(`${jobs} belongs to another user`);
      expect(await inspectDataDir(directory, 0, 1000)).toMatch(/^the data directory \(jobs\) belongs/);
      chownSync(jobs, 1000, 1000);
      expect(await inspectDataDir(directory, 0, 1000)).toBeUndefined();
    },
  );

  test('the directory of the jobs in it is looked at as well: a chown may have left it out', async () => {
    const directory = newDirectory();
    const jobs = path.join(directory, 'jobs');
    mkdirSync(jobs);
    expect(await inspectDataDir(directory)).toBeUndefined();
    chmodSync(jobs, 0o777);
    const warning = await inspectDataDir(directory);
    expect(warning).toMatch(/^OTHER USERS MAY WRITE TO THE DATA DIRECTORY \(jobs\) /);
    expect(warning).toContain(`run "chmod go-w ${jobs}"`);
  });

  test.each([0o770, 0o707, 0o1777])('mode %o is warned of, and not changed', async (mode) => {
    const directory = newDirectory();
    chmodSync(directory, mode);
    expect(await inspectDataDir(directory)).toContain(`run "chmod go-w ${directory}"`);
    expect(statSync(directory).mode & 0o7777).toBe(mode);
  });

  test.each([0o700, 0o755])('mode %o is fine', async (mode) => {
    const directory = newDirectory();
    chmodSync(directory, mode);
    expect(await inspectDataDir(directory)).toBeUndefined();
  });
});
