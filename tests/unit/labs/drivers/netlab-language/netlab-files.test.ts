import { describe, expect, test } from '@jest/globals';
import { madeBy } from '../../../../../src/labs/drivers/netlab-language/netlab-files.ts';

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
