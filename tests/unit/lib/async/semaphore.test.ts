import { expect, test } from '@jest/globals';
import { deferred } from '../../../../src/lib/async/deferred.ts';
import { Semaphore } from '../../../../src/lib/async/semaphore.ts';

test('as many run as there are places, the others in the order of asking', async () => {
  const semaphore = new Semaphore(2);
  const gates = ['a', 'b', 'c', 'd'].map((name) => ({ name, gate: deferred<void>() }));
  const begun: string[] = [];
  const all = gates.map(async ({ name, gate }) =>
    semaphore.run(async () => {
      begun.push(name);
      await gate.promise;
      return name;
    }),
  );
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b']);
  gates[1]?.gate.resolve();
  await all[1];
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b', 'c']);
  for (const { gate } of gates) gate.resolve();
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
});

test('a task that is no longer wanted leaves the queue', async () => {
  const semaphore = new Semaphore(1);
  const gate = deferred<void>();
  const first = semaphore.run(async () => gate.promise);
  const given = new AbortController();
  const second = semaphore.run(async () => Promise.resolve('never'), given.signal);
  const third = semaphore.run(async () => Promise.resolve('third'), new AbortController().signal);
  given.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  await expect(semaphore.run(async () => Promise.resolve(), given.signal)).rejects.toThrow('gone');
  gate.resolve();
  await first;
  expect(await third).toBe('third');
});

test('a task that fails gives its place back', async () => {
  const semaphore = new Semaphore(1);
  const failing = semaphore.run(async () => Promise.reject(new Error('no')));
  const next = semaphore.run(async () => Promise.resolve('yes'));
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
  expect(await semaphore.run(async () => Promise.resolve('again'))).toBe('again');
});
