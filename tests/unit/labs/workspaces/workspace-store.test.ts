import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { WorkspacePlaces } from '../../../../src/labs/workspaces/workspace-places.ts';
import { WorkspaceStore, type FileOwner } from '../../../../src/labs/workspaces/workspace-store.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { refuseWrites } from '../../../support/stored-jobs.ts';
import { Ground, treeOf } from './ground.ts';

let ground: Ground;
let store: WorkspaceStore;
const own = (...names: readonly string[]): string => path.join(ground.places.ownDirectory, ...names);
const modeOf = (file: string): number => statSync(file).mode & 0o777;

beforeEach(async () => {
  ground = await Ground.make();
  ({ store } = ground.workspaces);
});

/** What a service finds that starts now. */
async function restarted(log = new MemoryLogger()): Promise<WorkspaceStore> {
  const next = new WorkspaceStore(new WorkspacePlaces(ground.places.directory), undefined, log);
  await next.prepare();
  await next.recover(async () => Promise.resolve(false));
  return next;
}

/** Something that was received for a workspace, up to the moment before it is swapped in. */
async function received(text: string): Promise<string> {
  const token = await store.makeIncoming();
  writeFileSync(path.join(store.incomingFiles(token), 'file'), text);
  return token;
}

async function makeWith(name: string, text: string): Promise<void> {
  await store.make(name, 'ann');
  writeFileSync(ground.at(name, 'file'), text);
}

describe('the directories of a store', () => {
  test('are made where nobody else comes through, and used again', async () => {
    const places = new WorkspacePlaces(path.join(ground.root, 'fresh'));
    const fresh = new WorkspaceStore(places, undefined, ground.log);
    for (const _ of [1, 2]) await fresh.prepare();
    expect(modeOf(places.directory)).toBe(0o700);
    expect(readdirSync(fresh.ownDirectory)).toEqual(['incoming', 'records', 'trash', 'uses']);
    for (const name of ['', 'incoming', 'records', 'trash', 'uses'])
      expect(modeOf(path.join(fresh.ownDirectory, name))).toBe(0o700);
  });

  test('are known by their real path, so that whoever is in one is found there', async () => {
    symlinkSync(ground.places.directory, path.join(ground.root, 'link'));
    const places = new WorkspacePlaces(path.join(ground.root, 'link'));
    const linked = new WorkspaceStore(places, undefined, ground.log);
    await linked.prepare();
    expect(linked.directory).toBe(realpathSync(ground.places.directory));
    expect(places.directory).toBe(linked.directory);
  });
});

describe('a workspace', () => {
  test('is made once: who made it first has made it', async () => {
    const before = Date.now();
    expect(await store.make('course', 'ann')).toBe(true);
    expect(await store.make('course', 'bob')).toBe(false);
    const record = store.record('course');
    expect(record?.owner).toBe('ann');
    expect(Date.parse(record?.createdAt ?? '')).toBeGreaterThanOrEqual(before);
    expect(modeOf(ground.at('course'))).toBe(0o755 & ~process.umask());
    expect(modeOf(own('records/course.json'))).toBe(0o600);
    expect((await restarted()).record('course')).toEqual(record);
  });

  test('is open to nobody else’s writing, whatever the umask is', async () => {
    const umask = process.umask(0);
    try {
      await store.make('course', null);
      const token = await store.makeIncoming();
      expect([modeOf(ground.at('course')), modeOf(store.incomingFiles(token))]).toEqual([0o755, 0o755]);
    } finally {
      process.umask(umask);
    }
  });

  test('is not made where a file or a link stands, wherever that leads', async () => {
    writeFileSync(ground.at('file'), 'mine');
    mkdirSync(path.join(ground.root, 'outside'));
    symlinkSync(path.join(ground.root, 'outside'), ground.at('link'));
    symlinkSync(path.join(ground.root, 'nowhere'), ground.at('dangling'));
    const token = await received('new');
    for (const name of ['file', 'link', 'dangling']) {
      const busy = { code: 'workspace-busy', message: expect.stringContaining(ground.at(name)) };
      await expect(store.isMade(name)).rejects.toMatchObject(busy);
      await expect(store.make(name, null)).rejects.toMatchObject(busy);
      await expect(store.swapIn(token, name, { owner: null })).rejects.toMatchObject(busy);
      expect(store.record(name)).toBeUndefined();
    }
    expect(readFileSync(ground.at('file'), 'utf8')).toBe('mine');
    expect(readdirSync(path.join(ground.root, 'outside'))).toEqual([]);
    expect(existsSync(path.join(ground.root, 'nowhere'))).toBe(false);
  });

  test('is not told to be missing where the disk does not tell', async () => {
    const letWrites = refuseWrites(ground.places.directory);
    await expect(store.exists('course')).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(store.isMade('course')).rejects.toMatchObject({ code: 'ENOTDIR' });
    letWrites();
    expect(await store.isMade('course')).toBe(false);
  });

  test('that is taken away is gone at once, with its record; its files go when they are erased', async () => {
    await makeWith('course', 'old');
    const token = await store.take('course');
    expect([await store.exists('course'), store.record('course')]).toEqual([false, undefined]);
    expect(readdirSync(own('records'))).toEqual([]);
    expect(treeOf(own('trash'))).toEqual([`${token}/`, `${token}/file: old`]);
    await store.erase(token);
    expect(ground.left()).toEqual([]);
    expect(await ground.opened()).toEqual([]);
    await expect(store.take('course')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('what is received', () => {
  test('takes the place of what was there, which is kept until it is erased; whose it is stays', async () => {
    await makeWith('course', 'old');
    const record = store.record('course');
    const token = await received('new');
    await store.swapIn(token, 'course', { owner: 'bob' });
    expect(treeOf(ground.at('course'))).toEqual(['file: new']);
    expect(treeOf(own('trash'))).toEqual([`${token}/`, `${token}/file: old`]);
    expect(store.record('course')).toEqual(record);
  });

  test('does not make a workspace lose its files when it cannot be put there', async () => {
    await makeWith('course', 'old');
    const token = await received('new');
    rmSync(store.incomingFiles(token), { recursive: true });
    const failure = { code: 'ENOENT', path: store.incomingFiles(token) };
    await expect(store.swapIn(token, 'course', { owner: 'bob' })).rejects.toMatchObject(failure);
    expect(treeOf(ground.at('course'))).toEqual(['file: old']);
    expect(readdirSync(own('trash'))).toEqual([]);
    await expect(store.swapIn(token, 'other', { owner: 'bob' })).rejects.toMatchObject(failure);
    expect(await store.exists('other')).toBe(false);
  });

  test('is not put anywhere before it is noted where it is to be', async () => {
    await makeWith('course', 'old');
    const token = await received('new');
    mkdirSync(own('incoming', token, 'swap.json'));
    await expect(store.swapIn(token, 'course', { owner: 'bob' })).rejects.toMatchObject({ code: 'EISDIR' });
    expect(treeOf(ground.at('course'))).toEqual(['file: old']);
    expect(readdirSync(own('trash'))).toEqual([]);
  });
});

const isRoot = process.getuid?.() === 0;
const it = isRoot ? test : test.skip;

describe(`with a user for labs${isRoot ? '' : ' (skipped: needs root)'}`, () => {
  const owner: FileOwner = { uid: 64_321, gid: 64_322 };

  it('workspaces are that user’s from the moment on in which they are there', async () => {
    ground = await Ground.make({ owner });
    ({ store } = ground.workspaces);
    await store.make('made', null);
    const token = await received('new');
    const outside = path.join(ground.root, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, path.join(store.incomingFiles(token), 'link'));
    await store.swapIn(token, 'brought', { owner: null });
    for (const name of ['made', 'brought', 'brought/file', 'brought/link'])
      expect(lstatSync(ground.at(name))).toMatchObject(owner);
    expect(lstatSync(outside)).toMatchObject({ uid: 0, gid: 0 });
    for (const name of ['.lab-api', '.lab-api/records/made.json'])
      expect(lstatSync(ground.at(name))).toMatchObject({ uid: 0, gid: 0 });
  });
});
