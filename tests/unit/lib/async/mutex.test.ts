import { expect, test } from '@jest/globals';
import { deferred } from '../../../../src/lib/async/deferred.ts';
import { Mutex } from '../../../../src/lib/async/mutex.ts';

test('runs one task at a time, in the order of asking', async () => {
  const mutex = new Mutex();
  const gates = [deferred<void>(), deferred<void>(), deferred<void>()];
  const events: string[] = [];
  const turns = gates.map(async (gate, index) =>
    mutex.run(async () => {
      events.push(`begin ${index}`);
      await gate.promise;
      events.push(`end ${index}`);
    }),
  );
  // The last gate first: were the tasks side by side, the last one would end first.
  for (const gate of gates.toReversed()) gate.resolve();
  await Promise.all(turns);
  expect(events).toEqual(['begin 0', 'end 0', 'begin 1', 'end 1', 'begin 2', 'end 2']);
});

test('a task that fails, or throws at once, fails for its caller only', async () => {
  const mutex = new Mutex();
  const failed = mutex.run(async () => Promise.reject(new Error('one')));
  const threw = mutex.run(() => {
    throw new Error('two');
  });
  const next = mutex.run(async () => 'three');
  await expect(failed).rejects.toThrow('one');
  await expect(threw).rejects.toThrow('two');
  expect(await next).toBe('three');
});
