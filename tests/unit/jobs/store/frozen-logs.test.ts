import { describe, expect, test } from '@jest/globals';
import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FrozenLogs } from '../../../../src/jobs/store/frozen-logs.ts';
import { sampleId } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const id = sampleId(1);

test('a log that was frozen keeps its size, whatever is added to its file', () => {
  const file = path.join(directory, 'log');
  writeFileSync(file, 'words');
  const logs = new FrozenLogs();
  expect(logs.sizeOf(id)).toBeUndefined();
  expect(logs.freeze(id, file)).toBe(5);
  appendFileSync(file, ' of a stray');
  expect(logs.sizeOf(id)).toBe(5);
  logs.forget(id);
  expect(logs.sizeOf(id)).toBeUndefined();
});

test('a log that cannot be looked at has no end that is known', () => {
  const logs = new FrozenLogs();
  expect(logs.freeze(id, path.join(directory, 'none'))).toBeNull();
  expect(logs.sizeOf(id)).toBeUndefined();
});

describe('a log with a limit', () => {
  /** What is known of a log of these words, limited to `limit` bytes, before and after its end; and what the file holds. */
  function frozen(name: string, words: string, limit: number) {
    const file = path.join(directory, name);
    writeFileSync(file, words);
    const logs = new FrozenLogs();
    logs.limit(id, limit);
    const before = logs.sizeOf(id);
    return { before, size: logs.freeze(id, file), after: logs.sizeOf(id), kept: readFileSync(file, 'utf8') };
  }

  test.each([
    ['shorter', 'words', 10, 5, 'words'],
    ['as long', 'words', 5, 5, 'words'],
    ['longer', 'words of a job', 5, 5, 'words'],
    ['longer than no bytes', 'words', 0, 0, ''],
    ['cut in a character', 'a€€', 5, 4, 'a€'],
    ['cut in its first character', '😀', 3, 0, ''],
  ])('that is %s: %j within %i bytes', (name, words, limit, size, kept) => {
    expect(frozen(name, words, limit)).toEqual({ before: limit, size, after: size, kept });
  });

  test('that cannot be cut ends there all the same, and what a link leads to is left alone', () => {
    const target = path.join(directory, 'target');
    writeFileSync(target, 'words of another');
    const file = path.join(directory, 'link');
    symlinkSync(target, file);
    const logs = new FrozenLogs();
    logs.limit(id, 5);
    expect(logs.freeze(id, file)).toBe(5);
    expect(readFileSync(target, 'utf8')).toBe('words of another');
    logs.forget(id);
    expect(logs.sizeOf(id)).toBeUndefined();
  });
});
