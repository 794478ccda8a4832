import { beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { presenceOf } from '../../../../src/jobs/store/record-files.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const id = 'job-1700000000000-abcdef';
let jobs: string;

beforeEach(() => {
  jobs = mkdtempSync(path.join(root, 'jobs-'));
});

function record(text: string): string {
  mkdirSync(path.join(jobs, id), { recursive: true });
  const file = path.join(jobs, id, 'job.json');
  writeFileSync(file, text);
  return file;
}

test.each([
  ['queued', 'unfinished'],
  ['running', 'unfinished'],
  ['canceling', 'unfinished'],
  ['success', 'finished'],
  ['failed', 'finished'],
  ['canceled', 'finished'],
  // Of a later version.
  ['paused', 'unknown'],
])('a job whose record says %s is %s', async (state, expected) => {
  record(JSON.stringify({ id: 'another', state, more: {} }));
  expect(await presenceOf(jobs, id)).toBe(expected);
});

test.each(['', '{', 'null', '[]', '{"state": 7}', '"success"'])(
  'of the record %j, nothing is known',
  async (text) => {
    record(text);
    expect(await presenceOf(jobs, id)).toBe('unknown');
  },
);

test('a job without a record is absent, and so is one without a directory', async () => {
  expect(await presenceOf(jobs, id)).toBe('absent');
  mkdirSync(path.join(jobs, id));
  expect(await presenceOf(jobs, id)).toBe('absent');
});

test('what cannot be read is not taken for the end of a job', async () => {
  mkdirSync(path.join(jobs, id, 'job.json'), { recursive: true });
  expect(await presenceOf(jobs, id)).toBe('unknown');
});

test("a record that a link leads to is nobody's", async () => {
  const linked = 'job-1700000000001-abcdef';
  mkdirSync(path.join(jobs, linked));
  symlinkSync(record('{"state": "success"}'), path.join(jobs, linked, 'job.json'));
  expect(await presenceOf(jobs, linked)).toBe('unknown');
});

test('what is no id of a job is not looked for', async () => {
  mkdirSync(path.join(jobs, 'other'));
  writeFileSync(path.join(jobs, 'other/job.json'), '{"state": "success"}');
  for (const name of ['other', 'gone', `../${path.basename(jobs)}/other`, '', `${id}x`])
    expect(await presenceOf(jobs, name)).toBe('unknown');
});
