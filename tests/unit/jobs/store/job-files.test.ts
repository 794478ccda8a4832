/** What the files of a job tell of its process, and of its start. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {
  jobPaths,
  prepareStart,
  preventStart,
  readExitStatus,
  readIdentity,
  writeIdentity,
  type JobPaths,
} from '../../../../src/jobs/store/job-files.ts';
import { bootId, type ProcessIdentity } from '../../../../src/lib/processes/processes.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const self: ProcessIdentity = { pid: process.pid, startTicks: 7, bootId };
let paths: JobPaths;

beforeEach(() => {
  paths = jobPaths(mkdtempSync(path.join(root, 'jobs-')), 'job-1-abcdef');
  mkdirSync(paths.directory);
});

const names = (): string[] => readdirSync(paths.directory).toSorted();

describe('the process of a job', () => {
  test('is noted for the owner of the service alone', async () => {
    expect(await readIdentity(paths)).toBeUndefined();
    await writeIdentity(paths, self);
    expect(await readIdentity(paths)).toEqual(self);
    expect(statSync(paths.process).mode & 0o777).toBe(0o600);
    expect(names()).toEqual(['process.json']);
  });

  test.each([
    '',
    '{"pid":1',
    'null',
    '{"pid":0,"startTicks":1,"bootId":"x"}',
    '{"pid":1.5,"startTicks":1,"bootId":"x"}',
  ])('is not known when its file says %j', async (content) => {
    writeFileSync(paths.process, content);
    expect(await readIdentity(paths)).toBeUndefined();
  });

  test.each<[string, (file: string) => void]>([
    ['a link', (file) => symlinkSync('/proc/self/status', file)],
    ['a link to itself', (file) => symlinkSync(file, file)],
    ['a pipe', (file) => execFileSync('mkfifo', [file])],
    ['a directory', (file) => mkdirSync(file)],
  ])('is not known, and nobody waits, when its file is %s', async (_what, make) => {
    make(paths.process);
    expect(await readIdentity(paths)).toBeUndefined();
  });

  test('is not known when the directory of the job is none', async () => {
    rmSync(paths.directory, { recursive: true });
    writeFileSync(paths.directory, 'not a directory');
    expect(await readIdentity(paths)).toBeUndefined();
  });

  test('is not told by a system that cannot tell at the moment', async () => {
    const long = jobPaths(path.dirname(paths.directory), 'x'.repeat(300));
    await expect(readIdentity(long)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
  });
});

describe('the result of a job', () => {
  test.each([
    ['{"exitCode":0,"signaled":false}', { exitCode: 0, signaled: false }],
    [`{"exitCode":255,"signaled":true}${' '.repeat(30)}\n`, { exitCode: 255, signaled: true }],
    ['{"exitCode":3}', { exitCode: 3, signaled: false }],
    ['{"exitCode":256}', undefined],
    ['{"exitCode":-1}', undefined],
    ['{"exitCode":', undefined],
    ['', undefined],
  ])('%j is %j', async (content, expected) => {
    writeFileSync(paths.exit, content);
    expect(await readExitStatus(paths)).toEqual(expected);
  });
});

describe('a start', () => {
  test('that was never prepared leaves nothing to prevent, unless a process is noted', async () => {
    expect(await preventStart(paths)).toBe('unprepared');
    await writeIdentity(paths, self);
    expect(await preventStart(paths)).toBe('may-have-begun');
    expect(names()).toEqual(['process.json']);
  });

  test('is prevented by taking its tickets away, and the note of its process', async () => {
    const ticket = await prepareStart(paths);
    await prepareStart(paths);
    await writeIdentity(paths, self);
    expect(await preventStart(paths)).toBe('prevented');
    expect(names()).toEqual(['shim.err']);
    // As the shim does it.
    expect(() => renameSync(ticket, `${paths.exit}.tmp`)).toThrow('ENOENT');
  });

  test('is prevented as well before a process was noted', async () => {
    await prepareStart(paths);
    expect(await preventStart(paths)).toBe('prevented');
    expect(names()).toEqual(['shim.err']);
  });

  test.each(['exit.json', 'exit.json.tmp'])('whose ticket has become %s has begun', async (name) => {
    renameSync(await prepareStart(paths), path.join(paths.directory, name));
    const other = await prepareStart(paths);
    expect(await preventStart(paths)).toBe('may-have-begun');
    expect(names()).toContain(path.basename(other));
  });

  test('of another boot may have begun: a ticket that is still there proves nothing', async () => {
    await prepareStart(paths);
    writeFileSync(path.join(paths.directory, 'ticket-of-another-boot-000000'), '');
    expect(await preventStart(paths)).toBe('may-have-begun');
    expect(names()).toHaveLength(3);
  });

  test('of a job whose directory is gone may have begun', async () => {
    rmSync(paths.directory, { recursive: true });
    expect(await preventStart(paths)).toBe('may-have-begun');
  });
});
