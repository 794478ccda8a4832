/** Files that come for a job: when it is refused, the old ones are back, unless another job has seen the new ones. */
import { beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { WorkspacePlaces } from '../../../../src/labs/workspaces/workspace-places.ts';
import { WorkspaceStore } from '../../../../src/labs/workspaces/workspace-store.ts';
import { AppError } from '../../../../src/lib/app-error.ts';
import { tarGzOf } from '../../../support/archives.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { bodyOf, Ground, treeOf } from './ground.ts';

const own = 'job-1-aaaaaa';
let job: string | undefined;
let ground: Ground;

beforeEach(async () => {
  job = undefined;
  ground = await Ground.make({ use: { jobIn: () => job } });
  await ground.workspaces.make('course', 'ann');
  writeFileSync(ground.at('course/file'), 'old');
});

const inOwn = (...names: readonly string[]): string => path.join(ground.places.ownDirectory, ...names);
const files = (): string[] => treeOf(ground.at('course'));

/** New files come for a job that is refused; `meanwhile` is called when they are in their place. */
async function refused(meanwhile: () => void): Promise<void> {
  const body = bodyOf(tarGzOf({ name: 'file', content: 'new' }));
  const wanted = { name: 'course', owner: 'ann', check: () => undefined };
  const outcome = ground.workspaces.withArchive(wanted, { format: 'tar.gz', body }, async (put) => {
    await put(own);
    expect(files()).toEqual(['file: new']);
    meanwhile();
    throw new AppError('queue-full', 'no room');
  });
  expect(await failureOf(outcome)).toMatchObject({ code: 'queue-full' });
}

/** As after a crash, and a start that finds no job on record. */
async function restarted(): Promise<void> {
  const next = new WorkspaceStore(new WorkspacePlaces(ground.places.directory), undefined, ground.log);
  await next.prepare();
  await next.recover(async () => Promise.resolve(false));
}

/** Keeps the old files from coming back, as a disk that refuses does; the result ends that. */
function block(): () => void {
  const [token = ''] = ground.left();
  mkdirSync(inOwn('incoming', token, 'files'));
  return () => rmSync(inOwn('incoming', token, 'files'), { recursive: true });
}

test('of a refused job go, and the old ones are back', async () => {
  await refused(() => undefined);
  expect([files(), ground.left()]).toEqual([['file: old'], []]);
  expect(await ground.workspaces.get('course')).toMatchObject({ size: 3, files: 1 });
});

test('stay when another job has seen them, also after a start', async () => {
  await refused(() => void (job = 'job-2-bbbbbb'));
  expect([files(), ground.left()]).toEqual([['file: new'], []]);
  await restarted();
  expect(files()).toEqual(['file: new']);
});

test('of a job that was accepted stay when their traces cannot be erased, and the job is removed', async () => {
  ground.workspaces.store.dropIncoming = async () => Promise.resolve();
  const body = bodyOf(tarGzOf({ name: 'file', content: 'new' }));
  const wanted = { name: 'course', owner: 'ann', check: () => undefined };
  await ground.workspaces.withArchive(wanted, { format: 'tar.gz', body }, async (put) => put(own));
  await restarted();
  expect([files(), ground.left()]).toEqual([['file: new'], []]);
});

test('that cannot be taken back are not lost, nor are the old ones: the next change puts these back', async () => {
  let unblock: () => void = () => undefined;
  await refused(() => (unblock = block()));
  expect(ground.left()).toHaveLength(2);
  expect(files()).toEqual(['file: new']);
  await expect(ground.workspaces.make('course', 'ann')).rejects.toThrow('another directory');
  unblock();
  await ground.workspaces.make('course', 'ann');
  expect([files(), ground.left()]).toEqual([['file: old'], []]);
});

test('that cannot be taken back are taken back by the next start that can', async () => {
  let unblock: () => void = () => undefined;
  await refused(() => (unblock = block()));
  await restarted();
  expect(files()).toEqual(['file: new']);
  unblock();
  await restarted();
  expect([files(), ground.left()]).toEqual([['file: old'], []]);
});
