/** What a service finds in the directories of one that was killed, or that somebody else has been to. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { WorkspacePlaces } from '../../../../src/labs/workspaces/workspace-places.ts';
import { WorkspaceStore } from '../../../../src/labs/workspaces/workspace-store.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { Ground, treeOf } from './ground.ts';

let ground: Ground;
let log: MemoryLogger;
const own = (...names: readonly string[]): string => path.join(ground.places.ownDirectory, ...names);
const record = { owner: 'ann', createdAt: '2026-01-02T03:04:05.000Z' };

beforeEach(async () => {
  ground = await Ground.make();
  log = new MemoryLogger();
});

async function restarted(): Promise<WorkspaceStore> {
  const store = new WorkspaceStore(new WorkspacePlaces(ground.places.directory), undefined, log);
  await store.prepare();
  await store.recover(async () => Promise.resolve(false));
  return store;
}

function put(directory: string, text: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, 'file'), text);
}

/** What an upload has brought, with what is written down of where it goes. */
function upload(swap: string | undefined, token = 't0ken'): void {
  put(own('incoming', token, 'files'), 'new');
  writeFileSync(own('incoming', token, 'file'), 'the archive');
  if (swap !== undefined) writeFileSync(own('incoming', token, 'swap.json'), swap);
}

const intoCourse = JSON.stringify({ name: 'course' });

describe('an upload that was cut off', () => {
  test('after the old files were moved away is finished, and that is told', async () => {
    put(own('trash/t0ken'), 'old');
    upload(intoCourse);
    await restarted();
    expect(treeOf(ground.at('course'))).toEqual(['file: new']);
    expect(ground.left()).toEqual([]);
    expect(log.entries).toMatchObject([{ level: 'info', fields: { workspace: 'course' } }]);
  });

  test('and a removal after it, which was cut off as well, have nobody’s files come back', async () => {
    put(own('trash/t0ken'), 'old');
    await restarted();
    expect(await ground.workspaces.store.names()).toEqual([]);
    expect(ground.left()).toEqual([]);
  });

  test('is found whole at whatever moment it was cut off: with the old files or with the new ones', async () => {
    const { store } = ground.workspaces;
    await store.make('course', 'ann');
    writeFileSync(ground.at('course/file'), 'old');
    const token = await store.makeIncoming();
    writeFileSync(path.join(store.incomingFiles(token), 'file'), 'new');
    const moments: (() => void)[] = [
      () => undefined,
      () => writeFileSync(own('incoming', token, 'swap.json.tmp'), intoCourse.slice(0, 5)),
      () => renameSync(own('incoming', token, 'swap.json.tmp'), own('incoming', token, 'swap.json')),
      () => writeFileSync(own('incoming', token, 'swap.json'), intoCourse),
      () => renameSync(ground.at('course'), own('trash', token)),
      () => renameSync(store.incomingFiles(token), ground.at('course')),
      () => rmSync(own('incoming', token), { recursive: true }),
      () => rmSync(own('trash', token), { recursive: true }),
    ];
    const found: string[] = [];
    for (const [index, goOn] of moments.entries()) {
      goOn();
      const directory = path.join(ground.root, `copy-${index}`);
      cpSync(ground.places.directory, directory, { recursive: true });
      const next = new WorkspaceStore(new WorkspacePlaces(directory), undefined, log);
      await next.recover(async () => Promise.resolve(false));
      found.push(...treeOf(path.join(directory, 'course')));
      expect(next.record('course')?.owner).toBe('ann');
      for (const name of ['incoming', 'trash'])
        expect(treeOf(path.join(next.ownDirectory, name))).toEqual([]);
    }
    expect(found).toEqual([...Array(4).fill('file: old'), ...Array(4).fill('file: new')]);
  });
});

test('a service that is killed while it erases the files of a refused job leaves the old ones', async () => {
  const { store } = ground.workspaces;
  await store.make('course', 'ann');
  writeFileSync(ground.at('course/file'), 'old');
  const token = await store.makeIncoming();
  writeFileSync(path.join(store.incomingFiles(token), 'file'), 'new');
  await store.swapIn(token, 'course', { owner: 'ann', job: 'job-1-abcdef' });
  expect(treeOf(ground.at('course'))).toEqual(['file: new']);
  await store.undo(token);
  expect(treeOf(ground.at('course'))).toEqual(['file: old']);
  rmSync(store.incomingFiles(token), { recursive: true });
  expect((await restarted()).record('course')?.owner).toBe('ann');
  expect(treeOf(ground.at('course'))).toEqual(['file: old']);
  expect(ground.left()).toEqual([]);
});

describe('what says where an upload goes is not believed', () => {
  test.each([
    ['half a file', '{"name":'],
    ['nothing', ''],
    ['no object', '"course"'],
    ['no name', '{}'],
    ['a name that leads out', '{"name":"../outside"}'],
    ['a name that is a path', '{"name":"a/b"}'],
    ['the name of what the service has for itself', '{"name":".lab-api"}'],
    ['a name that is no text', '{"name":["course"]}'],
  ])('when it is %s', async (_, swap) => {
    mkdirSync(ground.at('a'));
    upload(swap);
    const before = readdirSync(ground.root);
    await restarted();
    expect(readdirSync(ground.root)).toEqual(before);
    expect(treeOf(ground.at('a'))).toEqual([]);
    expect(readdirSync(ground.places.directory)).toEqual(['.lab-api', 'a']);
    expect(ground.left()).toEqual([]);
  });

  test('when it is a link, or no file at all', async () => {
    writeFileSync(path.join(ground.root, 'swap.json'), intoCourse);
    upload(undefined, 'one');
    symlinkSync(path.join(ground.root, 'swap.json'), own('incoming/one/swap.json'));
    upload(undefined, 'two');
    mkdirSync(own('incoming/two/swap.json'));
    expect(await (await restarted()).names()).toEqual([]);
    expect(ground.left()).toEqual([]);
  });

  test('when a link of that name stands there: it is left alone', async () => {
    symlinkSync('/nowhere', ground.at('course'));
    upload(intoCourse);
    await restarted();
    expect(treeOf(ground.places.directory)).toContain('course (special)');
    expect(ground.left()).toEqual([]);
  });
});

describe('the record of a workspace', () => {
  const recordOf = async (text: string | undefined) => {
    if (text !== undefined) writeFileSync(own('records/course.json'), text);
    return (await restarted()).record('course');
  };

  test('is known again, with who made it and when', async () => {
    mkdirSync(ground.at('course'));
    expect(await recordOf(JSON.stringify(record))).toEqual(record);
    expect(await recordOf(JSON.stringify({ ...record, owner: null }))).toEqual({ ...record, owner: null });
  });

  test.each([
    ['missing', undefined],
    ['half a file', '{"owner":"ann"'],
    ['without an owner', JSON.stringify({ ...record, owner: undefined })],
    ['with an owner that is no text', JSON.stringify({ ...record, owner: 7 })],
  ])('is that of nobody when it is %s', async (_, text) => {
    mkdirSync(ground.at('course'));
    expect(await recordOf(text)).toBeUndefined();
  });

  test('goes when a service was killed before it had made the workspace', async () => {
    expect(await recordOf(JSON.stringify(record))).toBeUndefined();
    expect(readdirSync(own('records'))).toEqual([]);
  });

  test('is not read from where a link leads', async () => {
    mkdirSync(ground.at('course'));
    writeFileSync(path.join(ground.root, 'record'), JSON.stringify(record));
    symlinkSync(path.join(ground.root, 'record'), own('records/course.json'));
    expect(await recordOf(undefined)).toBeUndefined();
  });
});
