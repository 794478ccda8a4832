import { expect, test } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Turns } from '../../../../src/lib/async/turns.ts';

/** Starts so many tasks; the result is how many of them have gone on in each turn of the event loop. */
async function tasksPerTurn(turns: Turns, tasks: number, beforeTurn = () => undefined as void) {
  const order: number[] = [];
  const all = Array.from({ length: tasks }, async (_, nth) => turns.next().then(() => order.push(nth)));
  const perTurn: number[] = [];
  while (order.length < tasks) {
    const before = order.length;
    beforeTurn();
    await nextTurn();
    perTurn.push(order.length - before);
  }
  await Promise.all(all);
  expect(order).toEqual(Array.from({ length: tasks }, (_, nth) => nth));
  return perTurn;
}

test('few of the tasks go on in one turn of the event loop, in the order of their calls', async () => {
  expect(await tasksPerTurn(new Turns(3), 8)).toEqual([3, 3, 2]);
});

test('tasks that give way go on one by one in every fourth turn', async () => {
  const turns = new Turns(3);
  expect(await tasksPerTurn(turns, 2, () => turns.giveWay())).toEqual([0, 0, 0, 1, 0, 0, 0, 1]);
  expect(await tasksPerTurn(turns, 3)).toEqual([3]);
});
