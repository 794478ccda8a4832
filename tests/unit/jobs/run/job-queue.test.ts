import { describe, expect, test } from '@jest/globals';
import { JobQueue } from '../../../../src/jobs/run/job-queue.ts';

function takeAll(queue: JobQueue): string[] {
  const taken: string[] = [];
  for (let id = queue.take(); id !== undefined; id = queue.take()) taken.push(id);
  return taken;
}

describe('one lock', () => {
  test('one at a time, first in, first out', () => {
    const queue = new JobQueue(10);
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
    const queue = new JobQueue(10);
    queue.add('down', '/lab');
    queue.add('up', '/lab');
    expect(queue.take()).toBe('down');
    queue.release('down');
    queue.add('down', '/lab', 'first');
    expect(takeAll(queue)).toEqual(['down']);
  });

  test('is held by a job that was adopted, until its release', () => {
    const queue = new JobQueue(10);
    queue.adopt('old', '/lab');
    queue.add('new', '/lab');
    expect(takeAll(queue)).toEqual([]);
    queue.release('old');
    expect(takeAll(queue)).toEqual(['new']);
  });

  test('is not given up by the release of somebody else', () => {
    const queue = new JobQueue(10);
    queue.add('a', '/lab');
    queue.add('b', '/lab');
    queue.take();
    queue.release('b');
    queue.release('unknown');
    expect(takeAll(queue)).toEqual([]);
  });
});

describe('several locks', () => {
  test('run side by side, and one that waits holds up no other', () => {
    const queue = new JobQueue(10);
    queue.add('a1', '/a');
    queue.add('a2', '/a');
    queue.add('b1', '/b');
    expect(takeAll(queue)).toEqual(['a1', 'b1']);
  });

  test('up to the limit, adopted jobs included', () => {
    const queue = new JobQueue(2);
    queue.adopt('old', '/x');
    for (const id of ['a', 'b']) queue.add(id, `/${id}`);
    expect(takeAll(queue)).toEqual(['a']);
    queue.release('old');
    expect(takeAll(queue)).toEqual(['b']);
  });

  test('jobs without a lock wait for nobody but the limit', () => {
    const queue = new JobQueue(3);
    queue.add('up', '/a');
    for (const id of ['s1', 's2', 's3']) queue.add(id, null);
    expect(takeAll(queue)).toEqual(['up', 's1', 's2']);
  });
});

describe('waiting', () => {
  test('positions count from 1 and close up', () => {
    const queue = new JobQueue(1);
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

  test('the holder of a lock is who runs, else who waits first', () => {
    const queue = new JobQueue(1);
    expect(queue.holderOf('/lab')).toBeUndefined();
    for (const id of ['a', 'b']) queue.add(id, '/lab');
    expect(queue.holderOf('/lab')).toBe('a');
    queue.take();
    expect(queue.holderOf('/lab')).toBe('a');
    queue.release('a');
    expect(queue.holderOf('/lab')).toBe('b');
    expect(queue.holderOf('/other')).toBeUndefined();
  });
});

test('a restart in the middle of 1000 jobs in 50 directories changes nothing of the order', () => {
  const lockOf = (id: string): string => `/lab${(Number(id) * 7) % 50}`;
  const ids = Array.from({ length: 1000 }, (_, number) => String(number));
  const before = new JobQueue(8);
  for (const id of ids) before.add(id, lockOf(id));
  const started: string[] = [];
  let running: string[] = [];
  const turn = (queue: JobQueue): void => {
    const taken = takeAll(queue);
    started.push(...taken);
    running = [...running, ...taken];
    queue.release(running.shift() ?? '');
  };
  for (let turns = 0; turns < 400; turns += 1) turn(before);
  // As a service does at its start: it adopts what runs, and puts what waits in the order of the ids.
  const after = new JobQueue(8);
  for (const id of running) after.adopt(id, lockOf(id));
  for (const id of ids) if (!started.includes(id)) after.add(id, lockOf(id));
  const waiting = ids.filter((id) => after.turnOf(id) !== null);
  expect(waiting.map((id) => after.turnOf(id)?.position)).toEqual(
    waiting.map((id) => before.turnOf(id)?.position),
  );
  while (after.waitingCount > 0) turn(after);
  const alone = new JobQueue(8);
  for (const id of ids) alone.add(id, lockOf(id));
  const startedBefore = started.splice(0);
  running = [];
  while (alone.waitingCount > 0) turn(alone);
  expect(startedBefore).toEqual(started);
});

test('1000 jobs in 50 directories: each directory in its order, never two at once, none left behind', () => {
  const maxRunning = 8;
  const queue = new JobQueue(maxRunning);
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
  const queue = new JobQueue(1);
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
