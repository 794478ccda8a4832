/** Records that the disk does not give, and states that it does not take. */
import { describe, expect, test } from '@jest/globals';
import {
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { eventually } from '../../../support/eventually.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { sampleId } from '../../../support/sample-job.ts';
import { fail, storedJobs } from '../../../support/stored-jobs.ts';

const { openStore, makeJobs, states } = storedJobs();

/** Takes the directory of a job away for a while: what is there instead can neither be read nor written, by root either. */
function hide(directory: string, number: number): () => void {
  const home = path.join(directory, sampleId(number));
  const file = path.join(directory, 'a file');
  writeFileSync(file, '');
  renameSync(home, `${home}.aside`);
  symlinkSync(file, home);
  return () => {
    rmSync(home);
    renameSync(`${home}.aside`, home);
  };
}

describe('a record that cannot be read at the start', () => {
  test('is reported once, and is known as a fault until it can be read', async () => {
    const { directory, indexFile } = await makeJobs();
    rmSync(indexFile);
    const restore = [hide(directory, 4), hide(directory, 3)];
    const { store, log } = await openStore(directory);
    expect(states(store)).toEqual(['1 failed', '2 failed']);
    expect(log.errors()).toEqual(['a job record cannot be read', 'a job record cannot be read']);
    expect(store.fault).toContain(`the record of ${sampleId(3)} and 1 more cannot be read`);
    expect(store.fault).toContain('ENOTDIR');
    expect((await store.unrecorded()).toSorted()).toEqual([3, 4].map(sampleId));
    expect(await failureOf(store.get(sampleId(4)))).toMatchObject({
      code: 'storage-fault',
      cause: expect.stringContaining('ENOTDIR'),
    });
    expect(readdirSync(path.join(directory, '.quarantine'))).toEqual([]);

    const found: Job[] = [];
    store.on('found', (job) => found.push(job));
    for (const each of restore) each();
    await eventually('the jobs to be found', () => found.length === 2);
    // Several are read at a time, and any may be the first.
    expect(found.map(({ id, state }) => `${id} ${state}`).toSorted()).toEqual([
      `${sampleId(3)} failed`,
      `${sampleId(4)} running`,
    ]);
    await eventually('no fault to be left', () => store.fault === null);
    expect(await store.get(sampleId(4))).toMatchObject({ state: 'running' });
    expect(store.unfinished().map(({ id }) => id)).toEqual([sampleId(4)]);
    expect(await store.unrecorded()).toEqual([]);
    expect(log.errors()).toHaveLength(2);
    expect(readFileSync(indexFile, 'utf8')).toContain(sampleId(3));
  });

  test('with a state that cannot be written: both are said', async () => {
    const { directory, indexFile } = await makeJobs();
    rmSync(indexFile);
    const restoreFirst = hide(directory, 1);
    const { store, log } = await openStore(directory);
    const restoreLast = hide(directory, 4);
    await store.update(sampleId(4), fail);
    expect(store.fault).toMatch(/^1 job record\(s\) cannot be written: .*; the record of .* cannot be read/);
    await store.close();
    expect(log.errors().at(-1)).toBe(
      'the last state of a job is not on disk; the next start will have to find it out',
    );
    restoreFirst();
    restoreLast();
  });
});

test('a job that runs gets a record again when somebody removed its directory', async () => {
  const { directory, record } = await makeJobs();
  const { store } = await openStore(directory);
  const home = path.dirname(record(4));
  rmSync(home, { recursive: true });
  await store.update(sampleId(4), (job) => ({ ...job, labels: { a: 'b' } }));
  expect(JSON.parse(readFileSync(record(4), 'utf8'))).toMatchObject({ state: 'running', labels: { a: 'b' } });
  expect(statSync(home).mode & 0o777).toBe(0o700);
  expect(statSync(record(4)).mode & 0o777).toBe(0o600);
});

test('a log ends where it was frozen, within its limit, until its job is removed', async () => {
  const { directory } = await makeJobs();
  const { store } = await openStore(directory);
  const id = sampleId(4);
  writeFileSync(store.paths(id).log, 'words of a job');
  expect(store.frozenLogSize(id)).toBeUndefined();
  store.limitLog(id, 9);
  expect(store.frozenLogSize(id)).toBe(9);
  store.limitLog(id, 5);
  expect(store.freezeLog(id)).toBe(5);
  expect(readFileSync(store.paths(id).log, 'utf8')).toBe('words');
  await store.update(id, fail);
  await store.remove(id);
  expect(store.frozenLogSize(id)).toBeUndefined();
  expect(existsSync(store.paths(id).directory)).toBe(false);
});
