import { describe, expect, test } from '@jest/globals';
import { appendFileSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
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
    { name: 'shorter', words: 'words', limit: 10, size: 5, kept: 'words' },
    { name: 'as long', words: 'words', limit: 5, size: 5, kept: 'words' },
    { name: 'longer', words: 'words of a job', limit: 5, size: 5, kept: 'words' },
    { name: 'longer than no bytes', words: 'words', limit: 0, size: 0, kept: '' },
    { name: 'cut in a character', words: 'a€€', limit: 5, size: 4, kept: 'a€' },
    { name: 'cut in its first character', words: '😀', limit: 3, size: 0, kept: '' },
  ])('that is $name: $words within $limit bytes', ({ name, words, limit, size, kept }) => {
    expect(frozen(name, words, limit)).toEqual({ before: limit, size, after: size, kept });
  });

  test('that was cut by bytes at its limit ends before the character', () => {
    const file = path.join(directory, 'cut by bytes');
    writeFileSync(file, Buffer.from('a€').subarray(0, 3));
    const logs = new FrozenLogs();
    logs.limit(id, 3);
    expect(logs.freeze(id, file)).toBe(1);
  });

  test('that cannot be looked at ends nowhere, and shows no more than its limit', () => {
    const logs = new FrozenLogs();
    logs.limit(id, 5);
    expect(logs.freeze(id, path.join(directory, 'none'))).toBeNull();
    expect(logs.sizeOf(id)).toBe(5);
  });

  test('is not kept open', () => {
    const openFiles = (): number => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    frozen('closed', 'words of a job', 5);
    expect(openFiles()).toBe(before);
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
