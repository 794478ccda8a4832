import { describe, expect, test } from '@jest/globals';
import type { Host } from '../../../src/cluster/model/host.ts';
import { Placement } from '../../../src/cluster/placement.ts';

function host(name: string, more: Partial<Host> = {}): Host {
  return {
    id: name,
    name,
    url: `http://${name}`,
    pin: null,
    version: '1',
    run: name,
    startedAtMs: 1,
    labels: [],
    clis: ['netlab'],
    isDraining: false,
    capacity: 4,
    running: 0,
    queued: 0,
    freeMemoryBytes: 50,
    memoryBytes: 100,
    labs: [],
    cannotReach: [],
    seenAtMs: 1,
    state: 'up',
    isThis: false,
    ...more,
  };
}

const lab = { instance: 'default', directory: '/labs' };
const names = (hosts: readonly Host[]): string[] => hosts.map(({ name }) => name);
const anywhere = { labels: [] };

describe('the hosts that may take a job', () => {
  test.each([
    [
      'the least busy one for its size',
      [host('a', { running: 2 }), host('b', { running: 3, capacity: 8 })],
      ['b', 'a'],
    ],
    ['jobs that wait count', [host('a', { running: 4, queued: 4 }), host('b', { running: 4 })], ['b', 'a']],
    ['of two that are alike, the one with fewer labs', [host('a', { labs: [lab] }), host('b')], ['b', 'a']],
    ['of two that are quite alike, this one', [host('a'), host('b', { isThis: true })], ['b', 'a']],
    [
      'short of memory comes last',
      [host('a', { freeMemoryBytes: 4 }), host('b', { running: 4 })],
      ['b', 'a'],
    ],
    [
      'neither away nor drained',
      [host('a', { state: 'away' }), host('b', { state: 'draining' }), host('c')],
      ['c'],
    ],
  ])('%s', (_what, hosts, expected) =>
    expect(names(new Placement(() => true).candidates(hosts, anywhere))).toEqual(expected),
  );

  test('are asked for room first, if they are not short of memory, and not all of many', () => {
    const few = [host('a'), host('b', { freeMemoryBytes: 4 }), host('c'), host('d'), host('e')];
    const placement = new Placement(() => true);
    expect(names(placement.hopeful(few))).toEqual(['a', 'c', 'd']);
    expect(names(placement.hopeful([host('a')]))).toEqual([]);
  });

  test('are reached by this one, which need not reach itself', () => {
    const placement = new Placement(({ name }) => name === 'b');
    const hosts = [host('a'), host('b'), host('c', { isThis: true })];
    expect(names(placement.candidates(hosts, anywhere))).toEqual(['c', 'b']);
  });

  test('have the lab CLI that is asked for', () => {
    const hosts = [
      host('a'),
      host('b', { clis: ['netlab', 'containerlab'] }),
      host('of-before', { clis: [] }),
    ];
    expect(names(new Placement(() => true).candidates(hosts, { labels: [], cli: 'containerlab' }))).toEqual([
      'b',
    ]);
    expect(names(new Placement(() => true).candidates(hosts, { labels: [], cli: 'engine' }))).toEqual([]);
  });
});

test('many jobs that come at once are shared out before any host has told of its own', () => {
  const placement = new Placement(() => true);
  const hosts = [host('a', { capacity: 1 }), host('b', { capacity: 2 })];
  const given = Array.from({ length: 9 }, () => {
    const [best] = placement.candidates(hosts, anywhere);
    if (best) placement.noteGiven(best);
    return best?.name;
  });
  expect(given.filter((name) => name === 'b')).toHaveLength(6);
  // What it tells now has them.
  const [a, b] = hosts as [Host, Host];
  const told = [
    { ...a, running: 1, queued: 2, seenAtMs: 2 },
    { ...b, running: 2, queued: 4, seenAtMs: 2 },
  ];
  expect(names(placement.candidates(told, anywhere))).toEqual(['a', 'b']);
});
