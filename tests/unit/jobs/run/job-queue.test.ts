import { describe, expect, test } from '@jest/globals';
import { JobQueue } from '../../../../src/jobs/run/job-queue.ts';

function takeAll(queue: JobQueue): string[] {
  const taken: string[] = [];
  for (let id = queue.take(); id !== undefined; id = queue.take()) taken.push(id);
  return taken;
}

describe('one lock', () => {
  test('one at a time, first in, first out', () => {
    const queue = new JobQueue({ maxRunningJobs: 10 });
    for (const id of ['a', 'b', 'c']) queue.add(id, '/lab');
    expect(takeAll(queue)).toEqual(['a']);
    queue.release('a');
    expect(takeAll(queue)).toEqual(['b']);
    queue.release('b');
    expect(takeAll(queue)).toEqual(['c']);
    queue.release('c');
    expect(takeAll(queue)).toEqual([]);
  });

  test('a later job does not overtake one that is put back first', () => {
    const queue = new JobQueue({ maxRunningJobs: 10 });
    queue.add('down', '/lab');
    queue.add('up', '/lab');
    expect(queue.take()).toBe('down');
    queue.release('down');
    queue.add('down', '/lab', 'first');
    expect(takeAll(queue)).toEqual(['down']);
  });

  test('is held by a job that was adopted, until its release', () => {
    const queue = new JobQueue({ maxRunningJobs: 10 });
    queue.adopt('old', '/lab');
    queue.add('new', '/lab');
    expect(takeAll(queue)).toEqual([]);
    queue.release('old');
    expect(takeAll(queue)).toEqual(['new']);
  });

  test('is not given up by the release of somebody else', () => {
    const queue = new JobQueue({ maxRunningJobs: 10 });
    queue.add('a', '/lab');
    queue.add('b', '/lab');
    queue.take();
    queue.release('b');
    queue.release('unknown');
    expect(takeAll(queue)).toEqual([]);
  });
});

describe('several locks', () => {
  test('up to the limit, adopted jobs included', () => {
    const queue = new JobQueue({ maxRunningJobs: 2 });
    queue.adopt('old', '/x');
    for (const id of ['a', 'b']) queue.add(id, `/${id}`);
    expect(takeAll(queue)).toEqual(['a']);
    queue.release('old');
    expect(takeAll(queue)).toEqual(['b']);
  });
});

describe('waiting', () => {
  test('positions count from 1 and close up', () => {
    const queue = new JobQueue({ maxRunningJobs: 1 });
    for (const id of ['a', 'b', 'c']) queue.add(id, '/lab');
    queue.take();
    expect(['a', 'b', 'c', 'x'].map((id) => queue.turnOf(id)?.position)).toEqual([
      undefined,
      1,
      2,
      undefined,
    ]);
    expect(queue.waitingCount).toBe(2);
    expect(queue.remove('b')).toBe(true);
    expect(queue.remove('b')).toBe(false);
    expect(queue.remove('a')).toBe(false);
    expect(queue.turnOf('c')?.position).toBe(1);
  });
});

test('1000 jobs in 50 directories: each directory in its order, never two at once, none left behind', () => {
  const maxRunning = 8;
  const queue = new JobQueue({ maxRunningJobs: maxRunning });
  const lockOf = (id: string): string => id.split(' ')[0] ?? '';
  // A fixed mixture: 7 and 50 have no common divisor.
  for (let number = 0; number < 1000; number += 1) {
    const lock = `/lab${(number * 7) % 50}`;
    queue.add(`${lock} ${number}`, lock);
  }
  const running: string[] = [];
  const started: string[] = [];
  const waitedTurns = new Map<string, number>();
  for (let turn = 0; queue.waitingCount > 0 || running.length > 0; turn += 1) {
    for (const id of takeAll(queue)) {
      expect(running.map(lockOf)).not.toContain(lockOf(id));
      running.push(id);
      started.push(id);
      waitedTurns.set(id, turn);
    }
    expect(running.length).toBeLessThanOrEqual(maxRunning);
    // Ends out of order: now the oldest, now the newest.
    const ended = turn % 2 === 0 ? running.shift() : running.pop();
    queue.release(ended ?? '');
  }
  expect(started).toHaveLength(1000);
  for (let lab = 0; lab < 50; lab += 1) {
    const numbers = started.filter((id) => lockOf(id) === `/lab${lab}`).map((id) => Number(id.split(' ')[1]));
    expect(numbers).toHaveLength(20);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  }
  // Fair: nobody starts much later than the jobs that were admitted before it.
  const delays = started.map((id, place) => place - Number(id.split(' ')[1]));
  expect(Math.max(...delays)).toBeLessThan(50 * maxRunning);
});

test('a job waits for the one before it with its lock, which runs or waits itself, and else for a place', () => {
  const queue = new JobQueue({ maxRunningJobs: 1 });
  queue.adopt('free', null);
  queue.adopt('old', '/a');
  for (const [id, lock] of [
    ['a1', '/a'],
    ['b1', '/b'],
    ['any1', null],
    ['a2', '/a'],
    ['any2', null],
  ] as const)
    queue.add(id, lock);
  expect(['a1', 'b1', 'any1', 'a2', 'any2', 'old'].map((id) => queue.turnOf(id))).toEqual([
    { position: 1, waitsFor: 'old' },
    { position: 2, waitsFor: null },
    { position: 3, waitsFor: null },
    { position: 4, waitsFor: 'a1' },
    { position: 5, waitsFor: null },
    null,
  ]);
});
