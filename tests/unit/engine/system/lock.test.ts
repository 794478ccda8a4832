import { describe, expect, test } from '@jest/globals';
import path from 'node:path';
import { tryLock, withLock } from '../../../../src/engine/system/lock.ts';
import { deferred } from '../../../../src/lib/deferred.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const home = temporaryDirectory();

describe('a lock', () => {
  test('is had by one at a time, and by the next when it is free', async () => {
    const file = path.join(home, 'locks', 'a.lock');
    const first = await tryLock(file, { waitSeconds: 0 });
    expect(first).toBeDefined();
    expect(await tryLock(file, { waitSeconds: 0 })).toBeUndefined();
    const second = tryLock(file, { waitSeconds: 10 });
    await first!.release();
    await (await second)!.release();
  });

  test('that is shared is had by many, and by nobody alone', async () => {
    const file = path.join(home, 'shared.lock');
    const shared = await Promise.all([1, 2].map(() => tryLock(file, { waitSeconds: 0, kind: 'shared' })));
    expect(shared.every((lock) => lock !== undefined)).toBe(true);
    expect(await tryLock(file, { waitSeconds: 0 })).toBeUndefined();
    await Promise.all(shared.map((lock) => lock!.release()));
  });

  test('is given back when the task fails, and says who has it when time is up', async () => {
    const file = path.join(home, 'b.lock');
    const options = { waitSeconds: 0, busy: 'somebody has it' };
    await expect(withLock(file, options, () => Promise.reject(new Error('task')))).rejects.toThrow('task');
    const running = deferred<void>();
    const entered = deferred<void>();
    const holding = withLock(file, options, () => {
      entered.resolve();
      return running.promise;
    });
    await entered.promise;
    await expect(withLock(file, options, () => Promise.resolve())).rejects.toThrow('somebody has it');
    running.resolve();
    await holding;
  });

  test('is not waited for any longer when the command is interrupted', async () => {
    const file = path.join(home, 'c.lock');
    const held = await tryLock(file, { waitSeconds: 0 });
    const controller = new AbortController();
    const waiting = tryLock(file, { waitSeconds: 60, signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await held!.release();
  });
});
