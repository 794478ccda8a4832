import { describe, expect, test } from '@jest/globals';
import { containersOf, directoryOf } from '../../../../../src/labs/drivers/containerlab/containers.ts';
import { container } from '../../../../support/containerlab-recorded.ts';

describe('a container', () => {
  test('is told by its labels', () => {
    const { Labels } = container('r1', '/labs/demo', 'demo');
    const more = {
      Labels: { ...Labels, 'clab-root-node-name': 'r' },
      NetworkSettings: { IPv4addr: '172.20.20.2', IPv6addr: '3fff::2' },
    };
    expect(containersOf([container('r1', '/labs/demo', 'demo', more)])).toEqual([
      {
        node: 'r1',
        wholeNode: 'r',
        container: 'clab-demo-r1',
        kind: 'linux',
        image: 'python:3.13-alpine',
        state: 'running',
        status: 'Up 4 seconds',
        address: '172.20.20.2',
        topologyFile: '/labs/demo/demo.clab.yml',
        nodeDirectory: '/labs/demo/clab-demo/r1',
      },
    ]);
  });

  test.each<[string, object, object]>([
    [
      'without labels is called as Docker calls it',
      { Names: ['other', 'more'] },
      { node: 'other', container: 'other', kind: null },
    ],
    [
      'without its long name has that of Docker',
      { Names: ['x'], Labels: { 'clab-node-name': 'r1' } },
      { node: 'r1', container: 'x' },
    ],
    [
      'has the long name of its label, whatever Docker prints first',
      { Names: ['x'], Labels: { 'clab-node-longname': 'clab-demo-r1' } },
      { node: 'clab-demo-r1', container: 'clab-demo-r1' },
    ],
    [
      'that tells nothing of itself has no state',
      { Names: ['x'] },
      { state: '', status: '', image: null, address: null, topologyFile: null, nodeDirectory: null },
    ],
    [
      'has its address of IPv6 where it has no other',
      { Names: ['x'], NetworkSettings: { IPv4addr: '', IPv6addr: '3fff::2' } },
      { address: '3fff::2' },
    ],
    [
      'has nothing for what is no text',
      { Names: ['x'], Image: 7, State: null, Labels: [], NetworkSettings: 'none' },
      { image: null, state: '', address: null },
    ],
  ])('%s', (_what, printed, expected) => {
    expect(containersOf([printed])).toMatchObject([expected]);
  });
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a word', 'none'],
  ['an object', { Names: ['x'] }],
  ['a list of other things', [null, 'x', 7, ['x']]],
  [
    'what has no name',
    [{}, { Names: [] }, { Names: 'x' }, { Names: [''] }, { Labels: { 'clab-node-name': 'r1' } }],
  ],
])('%s tells of no container', (_what, printed) => {
  expect(containersOf(printed)).toEqual([]);
});

test('what is not understood hides none of the others', () => {
  const names = containersOf([null, { Names: ['a'] }, {}, { Names: ['b'] }]).map(({ node }) => node);
  expect(names).toEqual(['a', 'b']);
});

describe('the directory of a lab', () => {
  const told = (...labels: readonly Readonly<Record<string, string>>[]) =>
    directoryOf(containersOf(labels.map((Labels) => ({ Names: ['x'], Labels }))));

  test('is that in which its own is, by the first container that tells', () => {
    const file = { 'clab-topo-file': '/topologies/demo.clab.yml' };
    expect(told({}, file, { 'clab-node-lab-dir': '/labs/demo/clab-demo/r1' })).toBe('/labs/demo');
  });

  test('is that of its topology where no container has one of its own, and unknown without', () => {
    expect(told({}, { 'clab-topo-file': '/topologies/demo.clab.yml' })).toBe('/topologies');
    expect(told({})).toBeUndefined();
    expect(told()).toBeUndefined();
  });
});
