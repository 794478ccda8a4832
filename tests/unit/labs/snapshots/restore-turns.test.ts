import { expect, test } from '@jest/globals';
import { RestoreTurns } from '../../../../src/labs/snapshots/restore-turns.ts';
import { deferred } from '../../../../src/lib/async/deferred.ts';
import { failureOf } from '../../../support/failure-of.ts';

test('a user has 32 restores that run or wait, and other users wait with them', async () => {
  const [turns, gate, client] = [new RestoreTurns(), deferred<string>(), new AbortController()];
  const ask = async (user: string | null, signal = new AbortController().signal) =>
    turns.run(user, async () => gate.promise, signal);
  const own = Array.from({ length: 31 }, async () => ask('sue'));
  const leaving = ask('sue', client.signal);
  expect(await failureOf(ask('sue'))).toMatchObject({ code: 'queue-full', retryAfterSeconds: 10 });
  client.abort();
  await expect(leaving).rejects.toBe(client.signal.reason);
  const all = [...own, ask('sue'), ask('sam'), ask(null)];
  gate.resolve('done');
  expect(await Promise.all(all)).toEqual(all.map(() => 'done'));
});
