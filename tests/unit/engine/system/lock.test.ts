import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tryLock, withLock } from '../../../../src/engine/system/lock.ts';
import { deferred } from '../../../../src/lib/async/deferred.ts';
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

  test('that is shared has many owners, and then no exclusive one', async () => {
    const file = path.join(home, 'shared.lock');
    const shared = await Promise.all([1, 2].map(() => tryLock(file, { waitSeconds: 0, kind: 'shared' })));
    expect(shared.every((lock) => lock !== undefined)).toBe(true);
    expect(await tryLock(file, { waitSeconds: 0 })).toBeUndefined();
    await Promise.all(shared.map((lock) => lock!.release()));
  });

  test('is given back when the task fails, and says who has it when time is up', async () => {
    const file = path.join(home, 'b.lock');
    const options = { waitSeconds: 0, busy: 'it is taken' };
    await expect(withLock(file, options, () => Promise.reject(new Error('task')))).rejects.toThrow('task');
    const running = deferred<void>();
    const entered = deferred<void>();
    const holding = withLock(file, options, () => {
      entered.resolve();
      return running.promise;
    });
    await entered.promise;
    await expect(withLock(file, options, () => Promise.resolve())).rejects.toThrow('it is taken');
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

test('a lock whose file was removed by who had it: those who waited share the next file', async () => {
  const file = path.join(home, 'removed.lock');
  const first = await tryLock(file, { waitSeconds: 0 });
  const second = tryLock(file, { waitSeconds: 10 });
  rmSync(file);
  await first!.release();
  const lock = await second;
  // No other command gets it, although the first file is gone.
  expect(await tryLock(file, { waitSeconds: 0 })).toBeUndefined();
  await lock!.release();
});

describe('in the place of a lock', () => {
  const options = { waitSeconds: 0 };

  test('a link is refused, and nothing is made where it leads', async () => {
    const file = path.join(home, 'link.lock');
    writeFileSync(path.join(home, 'precious'), 'mine');
    symlinkSync('precious', file);
    await expect(tryLock(file, options)).rejects.toThrow(`${file} is not a regular file: remove it`);
    expect(readFileSync(path.join(home, 'precious'), 'utf8')).toBe('mine');
    symlinkSync('nowhere', path.join(home, 'dangling.lock'));
    await expect(tryLock(path.join(home, 'dangling.lock'), options)).rejects.toThrow('not a regular file');
  });

  test('a pipe and a directory are refused at once', async () => {
    const file = path.join(home, 'pipe.lock');
    execFileSync('mkfifo', [file]);
    await expect(tryLock(file, options)).rejects.toThrow(`${file} is not a regular file: remove it`);
    mkdirSync(path.join(home, 'directory.lock'));
    await expect(tryLock(path.join(home, 'directory.lock'), options)).rejects.toThrow('not a regular file');
  });
});
