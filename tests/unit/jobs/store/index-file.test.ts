/** The index of jobs, as a file. What a start makes of it is in job-store-index.test.ts. */
import { describe, expect, test } from '@jest/globals';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { IndexFile } from '../../../../src/jobs/store/index-file.ts';
import { jobPaths } from '../../../../src/jobs/store/job-files.ts';
import { summarize, type JobSummary } from '../../../../src/jobs/store/job-summary.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const summary = (number: number): JobSummary =>
  summarize(sampleJob({ id: sampleId(number), state: 'failed' }), jobPaths('/none', 'x'));
const summaries = (count: number): JobSummary[] =>
  Array.from({ length: count }, (_, index) => summary(index + 1));

function newIndex() {
  const directory = mkdtempSync(path.join(root, 'jobs-'));
  const log = new MemoryLogger();
  const file = path.join(directory, 'index.jsonl');
  return { log, file, index: new IndexFile(directory, log), open: () => new IndexFile(directory, log) };
}

const lines = (file: string): string[] => readFileSync(file, 'utf8').split('\n');

describe('a file that is made', () => {
  test.each([0, 1, 999, 1000, 1001, 2001])(
    'of %i jobs has a line for each, and is for its owner alone',
    async (count) => {
      const { index, file, open, log } = newIndex();
      await index.tidy(summaries(count));
      expect(lines(file)).toHaveLength(count + 1);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect([...(await open().read()).values()]).toEqual(summaries(count));
      expect(log.entries).toEqual([]);
    },
  );
});

test('a file that is not there, or not ours, takes no lines', async () => {
  const { index, file, log } = newIndex();
  expect(await index.read()).toEqual(new Map());
  expect(log.entries).toEqual([]);
  await index.add([summary(1)]);
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, 'of another');
  expect(await index.read()).toEqual(new Map());
  await index.add([summary(1)]);
  expect(readFileSync(file, 'utf8')).toBe('of another');
});

test('a file that is discarded is gone, and takes no lines until it is made anew', async () => {
  const { index, file, log } = newIndex();
  await index.tidy(summaries(1));
  await index.discard();
  await index.discard();
  await index.add([summary(2)]);
  expect(log.entries).toEqual([]);
  expect(existsSync(file)).toBe(false);
  await index.tidy(summaries(2));
  expect(lines(file)).toHaveLength(3);
});

describe('waste', () => {
  /** Whether a file with so many lines is written anew when so many of them are of use. */
  async function isRewritten(lineCount: number, useful: number): Promise<boolean> {
    const { index, open, file } = newIndex();
    await index.tidy(summaries(useful));
    appendFileSync(file, '\nwaste'.repeat(lineCount - useful));
    const second = open();
    await second.read();
    await second.tidy(summaries(useful));
    return lines(file).length !== lineCount + 1;
  }

  test.each([
    [1_000, 0, false],
    [1_001, 0, true],
    [1_600, 400, false],
    [1_601, 400, true],
  ])('in a file of %i lines, %i of them of use: written anew %s', async (lineCount, useful, expected) => {
    expect(await isRewritten(lineCount, useful)).toBe(expected);
  });
});

test('characters that lie across two reads come whole', async () => {
  const { index, open } = newIndex();
  const all = summaries(1_000).map((one) => ({ ...one, labels: { text: '€'.repeat(1_000) } }));
  await index.tidy(all);
  expect(
    [...(await open().read()).values()].every(({ labels }) => labels['text'] === '€'.repeat(1_000)),
  ).toBe(true);
});

test('what is no plain file is not read, and that is reported', async () => {
  const { index, file, open, log } = newIndex();
  await index.tidy(summaries(1));
  renameSync(file, `${file}.aside`);
  symlinkSync(`${file}.aside`, file);
  expect((await open().read()).size).toBe(0);
  expect(log.entries).toMatchObject([{ level: 'warn', fields: { cause: expect.stringContaining('ELOOP') } }]);
});

test('a file that somebody removed meanwhile is for its owner alone again', async () => {
  const { index, file } = newIndex();
  await index.tidy(summaries(1));
  rmSync(file);
  await index.add([summary(2)]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('jobs in one directory share one text', async () => {
  const { index, open } = newIndex();
  await index.tidy(summaries(2));
  const [one, other] = (await open().read()).values();
  expect(one).toEqual(summary(1));
  expect(other?.workdir).toBe(one?.workdir);
});

test('a disk that refuses is reported, and nothing else comes of it', async () => {
  const { index, file, log, open } = newIndex();
  mkdirSync(file);
  await index.tidy(summaries(1));
  await index.add([summary(1)]);
  expect(await index.read()).toEqual(new Map());
  await index.discard();
  // Making it, reading it and removing it; no line was tried, as there is no file that is ours.
  expect(log.entries).toHaveLength(3);
  expect(log.entries.map(({ level, fields }) => [level, fields['file'], typeof fields['cause']])).toEqual(
    log.entries.map(() => ['warn', file, 'string']),
  );
  rmSync(file, { recursive: true });
  await index.tidy(summaries(1));
  expect((await open().read()).size).toBe(1);
});

test('a line without an end makes the whole file useless', async () => {
  const { index, file, open, log } = newIndex();
  await index.tidy(summaries(1));
  appendFileSync(file, `\n${'x'.repeat(3 * 2 ** 20)}`);
  const second = open();
  await second.read();
  expect(log.entries).toMatchObject([
    { level: 'warn', fields: { file, cause: expect.stringContaining('never ends') } },
  ]);
  await second.add([summary(2)]);
  await second.tidy(summaries(2));
  expect(lines(file)).toHaveLength(3);
});
