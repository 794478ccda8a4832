import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tryLock, withLock } from '../../../../src/engine/system/lock.ts';
import {
  logged,
  readState,
  stateFile,
  tidyState,
  updateState,
  type LabEntry,
} from '../../../../src/engine/state/state.ts';
import { temporaryName } from '../../../../src/engine/system/files.ts';
import { deferred } from '../../../../src/lib/deferred.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let home: string;

beforeEach(() => {
  home = mkdtempSync(path.join(root, 'home-'));
});

function entry(dir: string): LabEntry {
  const fresh = { dir, log: [], name: 'demo', providers: ['netns'], topology: 'topology.yml' };
  return logged({ ...fresh, status: 'starting' }, 'starting provider netns');
}

describe('the state', () => {
  test('is empty before the first lab', async () => {
    expect([...(await readState(home))]).toEqual([]);
  });

  test("has netlab's shape on disk", async () => {
    await updateState(
      home,
      (entries) => void entries.set('default', logged(entry('/labs/a'), 'started', 'started')),
    );
    const document = JSON.parse(readFileSync(stateFile(home), 'utf8'));
    const golden = JSON.parse(
      JSON.stringify({
        dir: '',
        log: [],
        log_line: '',
        name: '',
        providers: [],
        status: '',
        timestamp: '',
        topology: '',
      }),
    );
    expect(Object.keys(document.default)).toEqual(Object.keys(golden));
    expect(document.default).toMatchObject({
      dir: '/labs/a',
      name: 'demo',
      providers: ['netns'],
      status: 'started',
    });
    expect(document.default.log[0]).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00: starting provider netns$/,
    );
    expect(document.default.timestamp).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00:00$/);
  });

  test('loses nothing when many change it at once', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => String(index));
    await Promise.all(
      ids.map((id) => updateState(home, (entries) => void entries.set(id, entry(`/labs/${id}`)))),
    );
    expect([...(await readState(home)).keys()].toSorted()).toEqual(ids.toSorted());
    expect(readdirSync(home).toSorted()).toEqual(['status.json', 'status.lock']);
  });

  test('is tidied of what a writer left that was killed, and of nothing else', async () => {
    const others = ['status.json.backup', 'status.json.1.old', 'status.jsonx.1', 'other.json.1'];
    for (const name of others) writeFileSync(path.join(home, name), '');
    const leave = (): void => writeFileSync(temporaryName(stateFile(home)), '{"half": ');

    leave();
    await updateState(home, (entries) => void entries.set('a', entry('/labs/a')));
    expect(readdirSync(home).toSorted()).toEqual([...others, 'status.json', 'status.lock'].toSorted());
    leave();
    leave();
    await tidyState(home);
    expect(readdirSync(home).toSorted()).toEqual([...others, 'status.json', 'status.lock'].toSorted());
    expect([...(await readState(home)).keys()]).toEqual(['a']);
  });

  test('is not made by tidying', async () => {
    await tidyState(path.join(home, 'nowhere'));
    await tidyState(home);
    expect(readdirSync(home)).toEqual([]);
  });

  test('stays as it was when the change fails', async () => {
    await updateState(home, (entries) => void entries.set('a', entry('/labs/a')));
    const change = updateState(home, (entries) => {
      entries.clear();
      throw new Error('no');
    });
    await expect(change).rejects.toThrow('no');
    expect((await readState(home)).has('a')).toBe(true);
  });

  test.each([
    '',
    '[1]',
    '{"a": 1}',
    '{"a": {"dir": 1}}',
    '{',
    '{"5": {"dir": "/x", "log": [], "status": "started"}}',
  ])('that nobody understands (%j) is not overwritten', async (text) => {
    writeFileSync(stateFile(home), text);
    await expect(updateState(home, (entries) => entries.clear())).rejects.toThrow('cannot understand');
    expect(readFileSync(stateFile(home), 'utf8')).toBe(text);
  });
});

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
