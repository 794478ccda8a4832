import { expect, test } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { oncePerTurn } from '../../../../src/lib/async/once-per-turn.ts';

test('looks once for all who ask in the same turn, and again in the next', async () => {
  let looks = 0;
  const look = oncePerTurn(() => (looks += 1));
  expect([look(), look()]).toEqual([1, 1]);
  await Promise.resolve();
  expect(look()).toBe(1);
  await nextTurn();
  expect([look(), look()]).toEqual([2, 2]);
});

test('keeps what is undefined as well, and nothing of a look that failed', () => {
  let looks = 0;
  const nothing = oncePerTurn(() => void (looks += 1));
  expect([nothing(), nothing(), looks]).toEqual([undefined, undefined, 1]);
  let failures = 0;
  const failing = oncePerTurn(() => {
    failures += 1;
    throw new Error(`failure ${failures}`);
  });
  expect(failing).toThrow('failure 1');
  expect(failing).toThrow('failure 2');
});
