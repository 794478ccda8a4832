import { beforeEach, describe, expect, test } from '@jest/globals';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  recordedLabs,
  seeRecordedLabs,
} from '../../../../../src/labs/drivers/netlab-language/recorded-labs.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let file: string;

beforeEach(() => {
  file = path.join(mkdtempSync(path.join(root, 'home-')), 'status.yaml');
});

describe('the list of labs', () => {
  const labsIn = (text: string) => {
    writeFileSync(file, text);
    return [...recordedLabs(file)];
  };

  test('has an entry for each lab, by its id, in YAML or in JSON', () => {
    const one = { dir: '/labs/one', status: 'started' };
    expect(labsIn('one:\n  dir: /labs/one\n  status: started\n7: {dir: /labs/7}\n')).toEqual([
      ['7', { dir: '/labs/7' }],
      ['one', one],
    ]);
    expect(labsIn(JSON.stringify({ one }))).toEqual([['one', one]]);
  });

  test('has none of what has no directory', () => {
    expect(labsIn('a: {}\nb: {dir: 7}\nc: /labs\nd:\ne: [dir]\nf: {dir: ""}\n')).toEqual([
      ['f', { dir: '' }],
    ]);
  });

  test('is empty where no lab was ever started, and where all are gone', () => {
    expect([...recordedLabs(file)]).toEqual([]);
    expect(labsIn('')).toEqual([]);
    expect(labsIn('{}\n')).toEqual([]);
  });

  test.each(['- one', 'one', '7', 'a: [', 'a: 1\na: 2'])('%j is none, which is said', (text) => {
    expect(() => labsIn(text)).toThrow();
  });

  test('names the file that is none, and does not take what cannot be read for one without labs', () => {
    expect(() => labsIn('- one')).toThrow(`${file}: it is no list of labs`);
    const directory = path.join(path.dirname(file), 'directory');
    mkdirSync(directory);
    expect(() => recordedLabs(directory)).toThrow('is not a plain file');
  });
});

/** The record of that many labs, as PyYAML writes it: 100 have more than is read at once. */
function record(
  labs: number,
  log: readonly string[] = Array.from({ length: 60 }, (_, index) => `at ${index}: deploying`),
): string {
  const lines = log.map((line) => `  - '${line}'\n`).join('');
  return Array.from({ length: labs }, (_, id) => `'${id}':\n  dir: /labs/${id}\n  log:\n${lines}`).join('');
}

/** Longer ago than a tick of the clock of files. */
const settle = (at: number): void => utimesSync(file, at, at);

describe('a list that is long', () => {
  test('is read beside the event loop; the list from before its last change counts meanwhile where that will do', async () => {
    writeFileSync(file, record(100));
    settle(1_700_000_000);
    expect(() => recordedLabs(file)).toThrow('is being read');
    expect(() => recordedLabs(file, true)).toThrow('is being read');
    await seeRecordedLabs(file);
    expect(recordedLabs(file).size).toBe(100);
    appendFileSync(file, 'new:\n  dir: /labs/new\n');
    settle(1_700_000_001);
    expect(() => recordedLabs(file)).toThrow('is being read');
    expect(recordedLabs(file, true).size).toBe(100);
    await seeRecordedLabs(file);
    expect(recordedLabs(file).get('new')).toEqual({ dir: '/labs/new' });
  });

  test('and any other is read once for each change', async () => {
    for (const labs of [2, 200]) {
      writeFileSync(file, record(labs));
      settle(1_700_000_000 + labs);
      await Promise.all([seeRecordedLabs(file), seeRecordedLabs(file)]);
      const entries = recordedLabs(file);
      await seeRecordedLabs(file);
      expect(recordedLabs(file)).toBe(entries);
    }
  });

  test('with as many labs as no machine has is refused', async () => {
    writeFileSync(file, record(1_001, []));
    await seeRecordedLabs(file);
    expect(() => recordedLabs(file)).toThrow('it has more than 1000 labs');
  });

  test.each([
    ['a million brackets', '['.repeat(1_000_000), 'nest|depth'],
    ['a few of them', '['.repeat(10_000), 'nest|depth'],
    ['15 MB', ' '.repeat(15_000_000), 'longer than'],
    ['aliases of aliases', aliases(30), 'alias'],
  ])('%s end in an error that names the file', async (_name, text, words) => {
    writeFileSync(file, text);
    await seeRecordedLabs(file);
    expect(() => recordedLabs(file)).toThrow(new RegExp(words, 'i'));
    expect(() => recordedLabs(file, true)).toThrow(file);
    // It is written anew, and counts.
    writeFileSync(file, record(3));
    expect(recordedLabs(file).size).toBe(3);
    expect(readFileSync(file, 'utf8')).toBe(record(3));
  });
});

/** Each level has the one below ten times. */
function aliases(levels: number): string {
  const level = (index: number): string =>
    `a${index}: &a${index} [${Array.from({ length: 10 }, () => `*a${index - 1}`).join(', ')}]\n`;
  return `a0: &a0 [x]\n${Array.from({ length: levels }, (_, index) => level(index + 1)).join('')}`;
}
