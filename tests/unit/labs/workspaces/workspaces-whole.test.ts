/** Workspaces that are removed as a whole, or given as an archive. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FileChanged } from '../../../../src/lib/archives/read-whole.ts';
import { tarGzOf, type Member } from '../../../support/archives.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { openedBelow } from '../../../support/opened-below.ts';
import { bodyOf, Ground, treeOf } from './ground.ts';

let ground: Ground;
beforeEach(async () => {
  ground = await Ground.make();
});

const replace = async (name: string, ...members: readonly Member[]) =>
  ground.workspaces.replace(name, 'ann', { format: 'tar.gz', body: bodyOf(tarGzOf(...members)) });
const [old, fresh] = [
  { name: 'old', content: 'old' },
  { name: 'a/new', content: 'new' },
];

describe('a removal', () => {
  test('takes a workspace with its files and its record, and nothing that links lead to', async () => {
    const outside = path.join(ground.root, 'outside');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'file'), 'theirs');
    await replace('course', old);
    symlinkSync(outside, ground.at('course/link'));
    await ground.workspaces.remove('course');
    expect(await ground.workspaces.list()).toEqual([]);
    expect(ground.workspaces.recordOf('course')).toBeUndefined();
    expect([treeOf(outside), ground.left()]).toEqual([['file: theirs'], []]);
    expect(ground.log.entries.at(-1)).toMatchObject({
      level: 'info',
      fields: { workspace: 'course', directory: ground.at('course') },
    });
    expect((await failureOf(ground.workspaces.remove('course'))).code).toBe('workspace-not-found');
  });

  test('makes room for others, and what comes under the same name is new', async () => {
    ground = await Ground.make({ limits: { maxTotalBytes: 4 } });
    await replace('course', { name: 'file', content: '1234' });
    expect((await failureOf(replace('other', { name: 'file', content: '1' }))).code).toBe('quota-exceeded');
    await ground.workspaces.remove('course');
    await replace('other', { name: 'file', content: '1234' });
    await ground.workspaces.make('course', 'bob');
    expect(await ground.workspaces.get('course')).toMatchObject({ size: 0, owner: 'bob' });
  });
});

describe('all files', () => {
  const pathsOf = async (between: () => void = () => undefined): Promise<string[]> => {
    const paths: string[] = [];
    await ground.workspaces.withItems('course', async (items) => {
      for await (const item of items) {
        if (paths.push(item.path) === 1) between();
      }
    });
    return paths;
  };
  beforeEach(async () => void (await replace('course', old, fresh)));

  test('are given without what is a link or special', async () => {
    symlinkSync('/etc', ground.at('course/link'));
    expect(await pathsOf()).toEqual(['a', 'a/new', 'old']);
    expect(openedBelow(ground.root)).toEqual([]);
  });

  test('that were replaced, or taken away, while they were sent are told as changed', async () => {
    const takeAway = (): void => renameSync(ground.at('course'), ground.at('moved'));
    await expect(pathsOf(takeAway)).rejects.toBeInstanceOf(FileChanged);
    renameSync(ground.at('moved'), ground.at('course'));
    const replaceIt = (): void => {
      takeAway();
      mkdirSync(ground.at('course'));
    };
    await expect(pathsOf(replaceIt)).rejects.toBeInstanceOf(FileChanged);
    expect(openedBelow(ground.root)).toEqual([]);
  });
});
