import { describe, expect, test } from '@jest/globals';
import { compareNodes, type ComparedNode } from '../../../../src/labs/snapshots/compare.ts';
import { withoutVolatile } from '../../../../src/labs/snapshots/volatile-lines.ts';

const node = (name: string, text: string): ComparedNode => ({
  node: name,
  kept: 'configuration',
  reason: null,
  text: async () => Promise.resolve(text),
});
const none = (name: string): ComparedNode => ({ ...node(name, ''), kept: 'none', reason: 'a host' });
const failed = (name: string): ComparedNode => ({ ...node(name, ''), kept: 'failed', reason: 'it is down' });
const { signal } = new AbortController();
const compare = async (before: readonly ComparedNode[], after: readonly ComparedNode[]) =>
  compareNodes({ label: 'one', nodes: before }, { label: 'two', nodes: after }, signal);

describe('nodes', () => {
  test('are the same in spite of other line ends, and of spaces and empty lines at ends', async () => {
    expect(await compare([node('r1', 'a\nb\n')], [node('r1', 'a  \r\nb\r\n\r\n')])).toEqual([
      { node: 'r1', change: 'same', diff: null, reason: null },
    ]);
  });

  test('differ by their change', async () => {
    const before = [
      node('r1', 'a\n'),
      node('r2', 'b\n'),
      none('h1'),
      failed('r3'),
      node('r4', 'c\n'),
      none('h2'),
    ];
    const after = [
      node('r1', 'a\nx\n'),
      none('r2'),
      node('h1', 'd\n'),
      node('r3', 'e\n'),
      none('h2'),
      none('h3'),
    ];
    const found = await compare(before, after);
    expect(Object.fromEntries(found.map((one) => [one.node, one.change]))).toEqual({
      r1: 'changed',
      r2: 'removed',
      h1: 'added',
      r3: 'unknown',
      r4: 'removed',
      h2: 'same',
      h3: 'added',
    });
    expect(found[0]?.diff).toBe('--- r1 one\n+++ r1 two\n@@ -1,1 +1,2 @@\n a\n+x\n');
    expect(found[3]?.reason).toBe('it is down');
  });

  test('with two long texts that have nothing in common are changed, and not waited for', async () => {
    const lines = (word: string) => Array.from({ length: 60_000 }, (_, at) => `${word} ${at * 7}\n`).join('');
    const [found] = await compare([node('r1', lines('a'))], [node('r1', lines('b'))]);
    expect(found).toMatchObject({
      change: 'changed',
      diff: null,
      reason: expect.stringContaining('too little'),
    });
  });

  test('have no more differences than can be sent', async () => {
    const long = `${'x'.repeat(64 * 1024)}\n`.repeat(48);
    const nodes = [node('r1', ''), node('r2', ''), node('r3', 'a\n')];
    const found = await compare(nodes, [node('r1', long), node('r2', long), node('r3', 'b\n')]);
    expect(found.map(({ diff, reason }) => [diff === null, reason])).toEqual([
      [false, null],
      [true, 'the differences are too long to show'],
      [true, 'the differences are too long to show'],
    ]);
  });
});

describe('lines that change by themselves are left aside', () => {
  test.each([
    'Building configuration...',
    'Current configuration : 1234 bytes',
    '! Last configuration change at 10:00:01 UTC Mon Nov 30 2026 by admin',
    '! NVRAM config last updated at 10:00:01 UTC Mon Nov 30 2026',
    '! Startup-config last modified at Mon Nov 30 10:00:01 2026 by root',
    'ntp clock-period 17179868',
    '!Time: Mon Nov 30 10:00:01 2026',
    '!Command: show running-config',
    '! Command: show running-config',
    '## Last commit: 2026-11-30 10:00:01 UTC by root',
    '# 2026-11-30 10:00:01 by RouterOS 7.16',
    '! router uptime is 3 days',
    'neighbour 10.0.0.1 dev eth1 aa:bb:cc:00:11:22 reachable',
    '  mac aa:bb:cc:00:11:22',
    '  address fe80::a8bb:ccff:fe00:1122/64 (link-local)',
  ])('%s', (line) => {
    expect(withoutVolatile(`a\n${line}\nb\n`)).toBe('a\nb\n');
  });

  test.each([
    'ntp server 10.0.0.1',
    'description uptime of the link',
    'neighbor 10.0.0.1 remote-as 65000',
    '! Last of the comments',
    ' mac address-table static aabb.cc00.1122',
    '  address 10.0.0.1/24',
    'interface Time',
  ])('and these are not: %s', (line) => {
    expect(withoutVolatile(`${line}\n`)).toBe(`${line}\n`);
  });
});

test('a comparison ends with its client', async () => {
  const client = new AbortController();
  const read: string[] = [];
  const gone = (name: string): ComparedNode => ({
    ...node(name, ''),
    text: async () => {
      read.push(name);
      client.abort();
      return Promise.resolve(name);
    },
  });
  const nodes = [gone('r1'), gone('r2')];
  const outcome = compareNodes({ label: 'one', nodes }, { label: 'two', nodes: [] }, client.signal);
  await expect(outcome).rejects.toBe(client.signal.reason);
  expect(read).toEqual(['r1']);
});
