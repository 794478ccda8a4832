import { expect, test } from '@jest/globals';
import { deferred } from '../../../../src/lib/async/deferred.ts';
import { KeyedMutex } from '../../../../src/lib/async/keyed-mutex.ts';

test('tasks of one key wait for each other, in order, and for no other key', async () => {
  const mutex = new KeyedMutex();
  const gate = deferred<void>();
  const done: string[] = [];
  const first = mutex.run('a', async () => gate.promise.then(() => done.push('a1')));
  const second = mutex.run('a', async () => done.push('a2'));
  await mutex.run('b', async () => done.push('b'));
  expect(done).toEqual(['b']);
  gate.resolve();
  await Promise.all([first, second]);
  expect(done).toEqual(['b', 'a1', 'a2']);
});

test('a task that fails tells its caller, and the next one runs', async () => {
  const mutex = new KeyedMutex();
  const failing = mutex.run('a', async () => Promise.reject(new Error('no')));
  const next = mutex.run('a', async () => 'yes');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
