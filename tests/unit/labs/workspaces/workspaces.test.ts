import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { AppError } from '../../../../src/lib/app-error.ts';
import type { WorkspaceUse } from '../../../../src/labs/workspaces/workspace-use.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { bodyOf, Ground, treeOf } from './ground.ts';

let ground: Ground;
/** Who is in the workspace `course`. */
let lab: string | undefined;
let job: string | undefined;
const use: Partial<WorkspaceUse> = {
  labIn: (directory) => (directory === ground.at('course') ? lab : undefined),
  jobIn: (directory) => (directory === ground.at('course') ? job : undefined),
};

beforeEach(async () => {
  [lab, job] = [undefined, undefined];
  ground = await Ground.make({ use });
});

const names = async () => (await ground.workspaces.list()).map(({ name }) => name);
const timeOf = (ms: number | undefined): string => new Date(ms ?? 0).toISOString();
const forbidden = (): void => {
  throw new AppError('forbidden', 'not yours');
};
const write = async (workspace: string, file: string, text: string) =>
  ground.files.write(workspace, file, bodyOf(text), { check: () => undefined });

describe('a workspace', () => {
  test('is told with its size, its times and who is there', async () => {
    await ground.workspaces.make('course', 'ann');
    await write('course', 'a/file', 'text');
    [lab, job] = ['bgp', 'job-1-abcdef'];
    utimesSync(ground.at('course/a/file'), 1, 1_700_000_000);
    utimesSync(ground.at('course/a'), 1, 1_600_000_000);
    utimesSync(ground.at('course'), 1, 1_600_000_000);
    expect(await ground.workspaces.get('course')).toEqual({
      name: 'course',
      workdir: ground.at('course'),
      owner: 'ann',
      shares: [],
      source: null,
      size: 4,
      files: 1,
      createdAt: ground.workspaces.recordOf('course')?.createdAt,
      modifiedAt: '2023-11-14T22:13:20.000Z',
      lastUsedAt: timeOf(ground.workspaces.uses.of('course')),
      expiresAt: null,
      lab: 'bgp',
      job: 'job-1-abcdef',
    });
  });

  test('is listed while its lab is unknown', async () => {
    const labIn = (): never => {
      throw new AppError('workspace-busy', 'unknown');
    };
    ground = await Ground.make({ use: { labIn } });
    await ground.workspaces.make('course', null);
    expect(await ground.workspaces.list()).toMatchObject([{ name: 'course', lab: null }]);
    expect(await failureOf(ground.workspaces.remove('course'))).toMatchObject({ code: 'workspace-busy' });
  });

  test.each(['other', 'file', 'link', '..', '.lab-api', 'Course', 'a/b', 'x'.repeat(500)])(
    'is not %s, which is none',
    async (name) => {
      await ground.workspaces.make('course', null);
      writeFileSync(ground.at('file'), '');
      symlinkSync(ground.at('course'), ground.at('link'));
      const attempts = [
        async () => ground.workspaces.get(name),
        async () => ground.workspaces.remove(name),
        async () => ground.workspaces.setAccess(name, { owner: 'bob', shares: [] }),
        async () => ground.workspaces.openTop(name),
        async () => ground.workspaces.withItems(name, async () => undefined),
      ];
      for (const attempt of attempts) {
        const failure = await failureOf(attempt());
        expect(failure.code).toBe('workspace-not-found');
        expect(failure.message.length).toBeLessThan(700);
      }
      expect(await names()).toEqual(['course']);
      expect(await ground.opened()).toEqual([]);
    },
  );

  test.each([
    ['ENOSPC', 'disk-full', 60],
    ['EDQUOT', 'disk-full', 60],
    ['EIO', 'storage-fault', 10],
    ['EROFS', 'storage-fault', 10],
  ])('cannot be changed while the disk says %s: %s', async (code, told, retryAfterSeconds) => {
    const cause = Object.assign(new Error(`${code}: write /data`), { code });
    const failure = await failureOf(ground.workspaces.turn('course', async () => Promise.reject(cause)));
    expect(failure).toMatchObject({ code: told, retryAfterSeconds, cause });
    expect(failure.message).not.toMatch(/E[A-Z]{2,}|write/);
  });

  test('has a name that is taken by whatever stands there, a link to nowhere too', () => {
    const { workspaces } = ground;
    mkdirSync(ground.at('course'));
    writeFileSync(ground.at('file'), '');
    symlinkSync(ground.at('nowhere'), ground.at('link'));
    expect(['course', 'file', 'link', 'nowhere'].map((name) => workspaces.isTaken(name))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    for (const name of ['..', '.lab-api', 'course/../..', 'a'.repeat(300)])
      expect([name, workspaces.isTaken(name)]).toEqual([name, false]);
    expect([workspaces.nameOf(ground.at('course/a')), workspaces.nameOf(ground.root)]).toEqual([
      'course',
      null,
    ]);
  });
});

describe('the list of workspaces', () => {
  test('is sorted, and has those that may be seen', async () => {
    for (const name of ['b', 'c', 'a']) await ground.workspaces.make(name, null);
    expect(await names()).toEqual(['a', 'b', 'c']);
    const seen = await ground.workspaces.list((name) => name !== 'b');
    expect(seen.map(({ name }) => name)).toEqual(['a', 'c']);
  });

  test('does not take a new one for one of the same name that had gone before', async () => {
    await ground.workspaces.make('course', null);
    await write('course', 'file', 'text');
    expect(await ground.workspaces.list()).toMatchObject([{ size: 4 }]);
    // By somebody else, in a shell.
    renameSync(ground.at('course'), ground.at('other'));
    expect(await ground.workspaces.list()).toMatchObject([{ name: 'other', size: 4 }]);
    mkdirSync(ground.at('course'));
    expect(await ground.workspaces.get('course')).toMatchObject({ size: 0 });
  });

  test('does not look at each file each time: a size may be some seconds old', async () => {
    await ground.workspaces.make('course', null);
    expect(await ground.workspaces.get('course')).toMatchObject({ size: 0, files: 0 });
    // By somebody else, in a shell.
    writeFileSync(ground.at('course/file'), 'text');
    expect(await ground.workspaces.get('course')).toMatchObject({ size: 0, files: 0 });
    ground.workspaces.noteJob(ground.at('course/below'), true);
    expect(await ground.workspaces.get('course')).toMatchObject({ size: 4, files: 1 });
  });
});

describe('an empty workspace', () => {
  test('is made once', async () => {
    expect(await ground.workspaces.make('course', 'ann')).toBe(true);
    expect(await ground.workspaces.make('course', 'bob')).toBe(false);
    expect(ground.workspaces.recordOf('course')).toMatchObject({ owner: 'ann' });
  });

  test('is made once by two who come at the same time', async () => {
    const users = ['ann', 'bob', 'eve'];
    const made = await Promise.all(users.map(async (who) => ground.workspaces.make('course', who)));
    const makers = users.filter((_, index) => made[index]);
    expect(makers).toHaveLength(1);
    expect(ground.workspaces.recordOf('course')).toMatchObject({ owner: makers[0] });
  });

  test('is not made with a name that none may have', async () => {
    for (const name of ['../outside', 'auto', '', 'Course'])
      expect((await failureOf(ground.workspaces.make(name, null))).code).toBe('invalid-request');
    expect(treeOf(ground.root)).toEqual([
      'workspaces/',
      ...['', 'incoming/', 'records/', 'trash/', 'uses/'].map((name) => `workspaces/.lab-api/${name}`),
    ]);
  });

  test('is not made without permission, nor when the permission ends before its turn', async () => {
    expect((await failureOf(ground.workspaces.make('course', 'bob', forbidden))).code).toBe('forbidden');
    let isAllowed = true;
    const check = (): void => {
      if (!isAllowed) forbidden();
    };
    const turnBefore = ground.workspaces.turn('course', async () => {
      // The free disk is read before the turn, so bob waits behind this turn when a second reading has ended.
      await ground.workspaces.room.assertFreeDisk();
      await ground.workspaces.store.make('course', 'ann');
      isAllowed = false;
    });
    expect((await failureOf(ground.workspaces.make('course', 'bob', check))).code).toBe('forbidden');
    await turnBefore;
    expect(ground.workspaces.recordOf('course')).toMatchObject({ owner: 'ann' });
  });

  test('is not made on a disk that is full, nor when it is no empty place', async () => {
    const full = await Ground.make({ limits: { minFreeBytes: Number.MAX_VALUE } });
    expect((await failureOf(full.workspaces.make('course', null))).code).toBe('disk-full');
    expect(await full.workspaces.store.names()).toEqual([]);
    writeFileSync(ground.at('file'), '');
    expect((await failureOf(ground.workspaces.make('file', null))).code).toBe('workspace-busy');
  });
});

describe('a workspace is given away', () => {
  beforeEach(async () => void (await ground.workspaces.make('course', 'ann')));
  const owner = (): string | null | undefined => ground.workspaces.recordOf('course')?.owner;

  test('by whoever may, and that is told in the log', async () => {
    await ground.workspaces.setAccess('course', { owner: 'bob', shares: [] });
    expect(owner()).toBe('bob');
    expect(ground.log.entries).toMatchObject([
      { level: 'info', fields: { workspace: 'course', owner: 'bob', shares: [] } },
    ]);
    expect(
      (await failureOf(ground.workspaces.setAccess('course', { owner: 'eve', shares: [] }, forbidden))).code,
    ).toBe('forbidden');
    expect(owner()).toBe('bob');
  });

  test('with the lab that lives there, and not while a job is there', async () => {
    lab = 'bgp';
    await ground.workspaces.setAccess('course', { owner: 'bob', shares: [] });
    job = 'job-1-abcdef';
    expect(
      await failureOf(ground.workspaces.setAccess('course', { owner: 'eve', shares: [] })),
    ).toMatchObject({
      code: 'workspace-busy',
      extra: { conflictingJobId: 'job-1-abcdef' },
      retryAfterSeconds: 10,
    });
    expect(owner()).toBe('bob');
  });

  test('while no job is accepted', async () => {
    let mayCome = true;
    const whileClosed: WorkspaceUse['whileClosed'] = async (action) => {
      mayCome = false;
      return action().finally(() => (mayCome = true));
    };
    ground = await Ground.make({ use: { ...use, whileClosed } });
    await ground.workspaces.make('course', 'ann');
    const seen: boolean[] = [];
    await ground.workspaces.setAccess('course', { owner: 'bob', shares: [] }, () => void seen.push(mayCome));
    expect([seen, mayCome]).toEqual([[false], true]);
  });
});
