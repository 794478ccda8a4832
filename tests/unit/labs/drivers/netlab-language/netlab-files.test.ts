import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { madeBy, recordedLabs } from '../../../../../src/labs/drivers/netlab-language/netlab-files.ts';
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
    expect(() => labsIn('- one')).toThrow(`${file} is no list of labs`);
    const directory = path.join(path.dirname(file), 'directory');
    mkdirSync(directory);
    expect(() => recordedLabs(directory)).toThrow('is not a plain file');
  });
});

describe('what an action makes for whoever asked for it', () => {
  const aFile = (name: string) => ({ kind: 'file', path: name });
  const aDirectory = (name: string) => ({ kind: 'directory', path: name });

  test.each<[Parameters<typeof madeBy>, readonly object[]]>([
    [['create', {}], []],
    [
      ['create', { output: ['json:nodes=a.json', 'yaml=b.yml,c.yml'] }],
      ['a.json', 'b.yml', 'c.yml'].map(aFile),
    ],
    [['create', { output: ['json', 'yaml=-', 'd2=', 'graph:x=-,g.dot'] }], [aFile('g.dot')]],
    [['collect', {}], [aDirectory('config')]],
    [
      ['collect', { collectOutput: 'kept', collectTar: 'all' }],
      [aDirectory('kept'), aFile('all'), aFile('all.tar.gz')],
    ],
    [['up', { output: ['json=a.json'], collectTar: 'x' }], []],
  ])('%j', (given, expected) => {
    expect(madeBy(...given)).toEqual(expected);
  });
});
