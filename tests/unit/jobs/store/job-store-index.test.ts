import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { failureOf } from '../../../support/failure-of.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { fail, storedJobs, whole } from '../../../support/stored-jobs.ts';

const { openStore, makeJobs, states } = storedJobs();

/** Damages a record in a way that shows only when it is read: so one sees who reads it. */
const spoil = (file: string): void => writeFileSync(file, '{');

describe('a start', () => {
  test('takes finished jobs from the index, and reads only the records of the others', async () => {
    const { directory, record } = await makeJobs();
    for (const number of [1, 2, 3]) spoil(record(number));
    const { store, log } = await openStore(directory);
    expect(states(store)).toEqual(whole);
    expect(log.errors()).toEqual([]);
    expect(await store.get(sampleId(4))).toMatchObject({ state: 'running' });
  });

  test.each<[string, (file: string) => void]>([
    ['is not there', (file) => rmSync(file)],
    ['is empty', (file) => writeFileSync(file, '')],
    ['is zeros', (file) => writeFileSync(file, '\0'.repeat(2000))],
    ['has lost its beginning', (file) => writeFileSync(file, readFileSync(file, 'utf8').slice(10))],
    ['ends in a line without an end', (file) => appendFileSync(file, '\0'.repeat(5 * 2 ** 20))],
    [
      'is a pipe',
      (file) => {
        rmSync(file);
        execFileSync('mkfifo', [file]);
      },
    ],
    [
      'is a link',
      (file) => {
        renameSync(file, `${file}.aside`);
        symlinkSync(`${file}.aside`, file);
      },
    ],
    [
      'is of another version',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"version":1', '"version":2')),
    ],
    [
      'is a directory',
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ])('reads every record when the index %s', async (_name, damage) => {
    const { directory, indexFile } = await makeJobs();
    damage(indexFile);
    const { store, log } = await openStore(directory);
    expect(states(store)).toEqual(whole);
    expect(log.errors()).toEqual([]);
  });

  test('makes an index anew that ends in megabytes of waste, once and for all', async () => {
    const { directory, indexFile } = await makeJobs();
    const before = readFileSync(indexFile, 'utf8');
    appendFileSync(indexFile, 'x'.repeat(5 * 2 ** 20));
    await openStore(directory);
    expect(readFileSync(indexFile, 'utf8')).toBe(before);
  });

  test('reads the record of which the line is torn, and later lines stand', async () => {
    const { directory, indexFile, record } = await makeJobs();
    const bytes = readFileSync(indexFile).length;
    truncateSync(indexFile, bytes - 30);
    const second = await openStore(directory);
    expect(states(second.store)).toEqual(whole);
    // Its line was written again, behind the torn one.
    spoil(record(3));
    await second.store.update(sampleId(4), fail);
    const third = await openStore(directory);
    expect(states(third.store)).toEqual([...whole.slice(0, 3), '4 failed']);
    expect(third.log.errors()).toEqual([]);
  });

  test.each([
    ['noise', 'noise'],
    ['another shape', '{"id":"job-1"}'],
    ['a job that is not finished', JSON.stringify({ ...sampleJob({ id: sampleId(4) }), size: 0 })],
    ['a job that never was', JSON.stringify({ ...sampleJob({ id: sampleId(9), state: 'failed' }), size: 0 })],
  ])('does not believe a line with %s', async (_name, line) => {
    const { directory, indexFile } = await makeJobs();
    appendFileSync(indexFile, `\n${line}`);
    const { store, log } = await openStore(directory);
    expect(states(store)).toEqual(whole);
    expect(log.errors()).toEqual([]);
  });

  test('forgets jobs whose directories are gone', async () => {
    const { directory } = await makeJobs();
    rmSync(path.join(directory, sampleId(2)), { recursive: true });
    const { store } = await openStore(directory);
    expect(states(store)).toEqual(['1 failed', '3 failed', '4 running']);
    expect(await store.get(sampleId(2))).toBeUndefined();
  });
});

describe('a line is written', () => {
  test('only when the record is on disk', async () => {
    const { directory, indexFile } = await makeJobs();
    const { store } = await openStore(directory);
    const before = readFileSync(indexFile, 'utf8');
    const home = store.paths(sampleId(4)).directory;
    renameSync(home, `${home}.aside`);
    writeFileSync(home, 'not a directory');
    await store.update(sampleId(4), fail);
    expect(states(store)).toContain('4 failed');
    expect(readFileSync(indexFile, 'utf8')).toBe(before);
    rmSync(home);
    renameSync(`${home}.aside`, home);
    await store.close();
    expect(readFileSync(indexFile, 'utf8')).toContain(sampleId(4));
  });
});

describe('a record that is found damaged later', () => {
  test.each<[string, (file: string) => void]>([
    ['cut off', (file) => truncateSync(file, 100)],
    ['of another job', (file) => writeFileSync(file, JSON.stringify(sampleJob({ id: sampleId(8) })))],
    ['gone', (file) => rmSync(file)],
  ])('(%s) is set aside then, once, and there is no such job', async (_name, damage) => {
    const { directory, record } = await makeJobs();
    const { store, log } = await openStore(directory);
    damage(record(2));
    const looks = await Promise.all([1, 2, 3].map(async () => store.get(sampleId(2))));
    expect(looks).toEqual([undefined, undefined, undefined]);
    expect(log.errors()).toEqual(['a job record is damaged and was set aside']);
    expect(existsSync(path.join(directory, '.quarantine', sampleId(2), 'log'))).toBe(true);
    expect(states(store)).toEqual(['1 failed', '3 failed', '4 running']);
    expect(states((await openStore(directory)).store)).toEqual(['1 failed', '3 failed', '4 running']);
  });

  test('does not take the jobs along when the whole directory is away for a while', async () => {
    const { directory } = await makeJobs();
    const { store } = await openStore(directory);
    renameSync(directory, `${directory}.aside`);
    expect((await failureOf(store.get(sampleId(2)))).code).toBe('storage-fault');
    renameSync(`${directory}.aside`, directory);
    expect(await store.get(sampleId(2))).toMatchObject({ state: 'failed' });
  });
});

test('a record from before its end, brought back from a backup, is believed as soon as it is seen', async () => {
  const { directory, record } = await makeJobs();
  const { store } = await openStore(directory);
  cpSync(record(4), record(3));
  writeFileSync(record(3), readFileSync(record(3), 'utf8').replace(sampleId(4), sampleId(3)));
  const found: string[] = [];
  store.on('found', ({ id, state }) => found.push(`${id} ${state}`));
  expect(await store.get(sampleId(3))).toMatchObject({ state: 'running' });
  expect(found).toEqual([`${sampleId(3)} running`]);
  await store.tidy();
  expect(states((await openStore(directory)).store)).toContain('3 running');
});

describe('trash', () => {
  test('that a killed service left is no job, and goes with the next tidying', async () => {
    const { directory } = await makeJobs();
    const trash = path.join(directory, '.trash');
    mkdirSync(trash);
    renameSync(path.join(directory, sampleId(1)), path.join(trash, sampleId(1)));
    // The removal came half-way: the record is gone already, and what remains looks like a damaged job.
    rmSync(path.join(trash, sampleId(1), 'job.json'));
    writeFileSync(path.join(trash, sampleId(1), 'process.json'), '{}');
    const { store, log } = await openStore(directory);
    expect(states(store)).toEqual(whole.slice(1));
    expect(readdirSync(path.join(directory, '.quarantine'))).toEqual([]);
    await store.tidy();
    expect(readdirSync(trash)).toEqual([]);
    expect(log.errors()).toEqual([]);
  });
});
