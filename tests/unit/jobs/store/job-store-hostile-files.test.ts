/** Files in the jobs directory that somebody else made. */
import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { selectJobs } from '../../../../src/jobs/store/job-list.ts';
import { storedJobs, whole } from '../../../support/stored-jobs.ts';

const { openStore, makeJobs, states } = storedJobs();

describe('a start', () => {
  test('writes through no link that somebody laid where a new index is made', async () => {
    const { directory, indexFile } = await makeJobs();
    const precious = path.join(directory, 'precious');
    writeFileSync(precious, 'content');
    symlinkSync(precious, `${indexFile}.tmp`);
    rmSync(indexFile);
    await openStore(directory);
    expect(readFileSync(precious, 'utf8')).toBe('content');
    expect(statSync(indexFile).isFile()).toBe(true);
  });

  test('does not wait for a pipe in the place of a record', async () => {
    const { directory, record } = await makeJobs();
    rmSync(record(4));
    execFileSync('mkfifo', [record(4)]);
    const { store, log } = await openStore(directory);
    expect(states(store)).toEqual(whole.slice(0, 3));
    expect(log.errors()).toHaveLength(1);
  });
});

test('a line that contradicts its record fools a filter once at most', async () => {
  const { directory, indexFile } = await makeJobs();
  const spoiled = readFileSync(indexFile, 'utf8').replaceAll('"state":"failed"', '"state":"success"');
  writeFileSync(indexFile, spoiled);
  const { store } = await openStore(directory);
  expect(await selectJobs(store, { states: ['success'], limit: 100 })).toEqual({
    jobs: [],
    nextCursor: null,
  });
  expect((await selectJobs(store, { states: ['failed'], limit: 100 })).jobs).toHaveLength(3);
  await store.close();
  expect(states((await openStore(directory)).store)).toEqual(whole);
});

test('the trash is not emptied when it is a link: what that leads to nobody threw away', async () => {
  const { directory } = await makeJobs();
  const precious = path.join(directory, 'precious');
  mkdirSync(path.join(precious, 'a'), { recursive: true });
  symlinkSync(precious, path.join(directory, '.trash'));
  await (await openStore(directory)).store.tidy();
  expect(readdirSync(precious)).toEqual(['a']);
});
