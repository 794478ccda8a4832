import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { jobPaths } from '../../../../src/jobs/store/job-files.ts';
import { RecordFiles } from '../../../../src/jobs/store/record-files.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const id = sampleId(1);

function newFiles() {
  const directory = mkdtempSync(path.join(root, 'jobs-'));
  return { directory, records: new RecordFiles(directory), paths: jobPaths(directory, id) };
}

describe('a record is', () => {
  test('sound, with its length as text', async () => {
    const { records, paths } = newFiles();
    await records.create(sampleJob(), undefined);
    const text = readFileSync(paths.record, 'utf8');
    expect(text).toBe(`${JSON.stringify(sampleJob(), null, 2)}\n`);
    expect(await records.read(id)).toEqual({ kind: 'sound', job: sampleJob(), length: text.length });
  });

  test('of another job', async () => {
    const { records, paths } = newFiles();
    mkdirSync(paths.directory);
    writeFileSync(paths.record, JSON.stringify(sampleJob({ id: sampleId(2) })));
    expect(await records.read(id)).toEqual({
      kind: 'damaged',
      cause: `the record belongs to ${sampleId(2)}`,
    });
  });

  test('no record at all', async () => {
    const { records, paths } = newFiles();
    mkdirSync(paths.directory);
    writeFileSync(paths.record, '{');
    expect(await records.read(id)).toEqual({ kind: 'damaged', cause: expect.stringContaining('JSON') });
  });

  test('gone from its directory, or gone with it', async () => {
    const { records, paths } = newFiles();
    expect(await records.read(id)).toEqual({ kind: 'missing' });
    mkdirSync(paths.directory);
    expect(await records.read(id)).toEqual({ kind: 'damaged', cause: 'the record is gone' });
  });

  test('not known of when nothing is there, or the disk does not say', async () => {
    const { records, paths, directory } = newFiles();
    writeFileSync(paths.directory, 'a file');
    expect(await records.read(id)).toMatchObject({ kind: 'unreadable', error: { code: 'ENOTDIR' } });
    rmSync(directory, { recursive: true });
    expect(await records.read(id)).toEqual({
      kind: 'unreadable',
      error: new Error('the jobs directory is not there'),
    });
  });

  test.each<[string, (file: string) => void]>([
    ['a pipe', (file) => void execFileSync('mkfifo', [file])],
    ['a directory', (file) => mkdirSync(file)],
  ])('%s, which is none', async (_name, make) => {
    const { records, paths } = newFiles();
    mkdirSync(paths.directory);
    make(paths.record);
    expect(await records.read(id)).toEqual({ kind: 'damaged', cause: 'the record is not a plain file' });
  });
});

test('a job is made with its files, for their owner alone', async () => {
  const { records, paths } = newFiles();
  await records.create(sampleJob(), 'nodes: {}');
  expect(readdirSync(paths.directory).toSorted()).toEqual(['job.json', 'log', 'topology.yml']);
  expect(readFileSync(paths.topology, 'utf8')).toBe('nodes: {}');
  expect(readFileSync(paths.log, 'utf8')).toBe('');
  const modes = [paths.directory, paths.record, paths.log, paths.topology].map(
    (file) => statSync(file).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
});

test('a job of which a part cannot be made leaves nothing', async () => {
  const { records, directory } = newFiles();
  const long = sampleJob({ id: 'x'.repeat(300) });
  await expect(records.create(long, undefined)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
  const circular = sampleJob();
  circular.request['self'] = circular.request;
  await expect(records.create(circular, 'nodes: {}')).rejects.toThrow('circular');
  expect(readdirSync(directory)).toEqual([]);
});

describe('a record that is written', () => {
  test('makes its directory anew when somebody removed it', async () => {
    const { records, paths } = newFiles();
    await records.write(sampleJob());
    expect([statSync(paths.directory).mode & 0o777, statSync(paths.record).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
    expect(await records.read(id)).toMatchObject({ kind: 'sound' });
  });

  test('does not make the jobs directory, and says what else is wrong', async () => {
    const { records, paths, directory } = newFiles();
    writeFileSync(paths.directory, 'a file');
    await expect(records.write(sampleJob())).rejects.toMatchObject({ code: 'ENOTDIR' });
    rmSync(directory, { recursive: true });
    await expect(records.write(sampleJob())).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
