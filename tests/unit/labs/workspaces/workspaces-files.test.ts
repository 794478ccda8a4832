/** All files of a workspace at once: brought as an archive, given as one, and removed. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FileChanged } from '../../../../src/lib/archives/read-whole.ts';
import { AppError } from '../../../../src/lib/app-error.ts';
import type { Body } from '../../../../src/labs/workspaces/receive.ts';
import type { MayChange } from '../../../../src/labs/workspaces/workspace.ts';
import type { WorkspaceUse } from '../../../../src/labs/workspaces/workspace-use.ts';
import { tarGzOf, zipOf, type Member } from '../../../support/archives.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { bodyOf, Ground, heldBody, treeOf } from './ground.ts';

let ground: Ground;
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

const replaceBody = async (name: string, body: Body, check?: MayChange, owner: string | null = 'ann') =>
  ground.workspaces.replace(name, owner, { format: 'tar.gz', body }, check);
const replace = async (name: string, ...members: readonly Member[]) =>
  replaceBody(name, bodyOf(tarGzOf(...members)));
const [old, fresh] = [
  { name: 'old', content: 'old' },
  { name: 'a/new', content: 'new' },
];
const [withOld, withNew] = [['old: old'], ['a/', 'a/new: new']];
const treeOfCourse = (): string[] => treeOf(ground.at('course'));
const forbidden = (): void => {
  throw new AppError('forbidden', 'not yours');
};

/** An upload to `course` of which half has come, and how it ends once the rest is let in. */
async function halfUpload(check?: MayChange) {
  const archive = tarGzOf(fresh);
  const { body, hasCome, go } = heldBody(archive.subarray(0, 30), archive.subarray(30));
  const outcome = replaceBody('course', body, check).catch((error: unknown) => error);
  await Promise.race([hasCome, outcome]);
  return async () => {
    go();
    return outcome;
  };
}

describe('an archive', () => {
  test.each([
    ['tar.gz', tarGzOf(fresh)],
    ['zip', zipOf(fresh)],
  ] as const)('of %s makes a workspace, and is told as new', async (format, archive) => {
    const made = await ground.workspaces.replace('course', 'ann', { format, body: bodyOf(archive) });
    expect([made, treeOfCourse()]).toEqual([true, withNew]);
    expect(ground.workspaces.recordOf('course')).toMatchObject({ owner: 'ann' });
    expect(ground.left()).toEqual([]);
    expect(ground.log.entries).toMatchObject([{ level: 'info', fields: { workspace: 'course', by: 'ann' } }]);
  });

  test('takes the place of all files that were there, and the size of those is forgotten', async () => {
    await replace('course', old);
    expect(await ground.workspaces.get('course')).toMatchObject({ size: 3, files: 1 });
    expect(await replace('course', fresh, { name: 'b', content: '1234' })).toBe(false);
    expect(treeOfCourse()).toEqual([...withNew, 'b: 1234']);
    expect(await ground.workspaces.get('course')).toMatchObject({ size: 7, files: 2 });
    expect(ground.left()).toEqual([]);
    expect(await ground.opened()).toEqual([]);
  });

  test('that is refused changes nothing, and leaves nothing', async () => {
    await replace('course', old);
    const logged = ground.log.entries.length;
    for (const evil of [
      { name: 'link', type: '2', link: '/etc' },
      { name: '../evil', content: 'evil' },
    ])
      expect((await failureOf(replace('course', fresh, evil))).code).toBe('archive-refused');
    expect((await failureOf(replace('other', { name: '/evil', content: 'evil' }))).code).toBe(
      'archive-refused',
    );
    expect(treeOfCourse()).toEqual(withOld);
    expect([await ground.workspaces.store.names(), ground.left()]).toEqual([['course'], []]);
    expect(ground.log.entries).toHaveLength(logged);
  });

  test.each([
    [{ maxFileBytes: 2 }, 'payload-too-large'],
    [{ maxBytes: 2 }, 'payload-too-large'],
    [{ maxFiles: 1 }, 'payload-too-large'],
    [{ maxTotalBytes: 2 }, 'quota-exceeded'],
    [{ minFreeBytes: Number.MAX_VALUE }, 'disk-full'],
  ])('is refused over the limit %j, as %s', async (limits, code) => {
    ground = await Ground.make({ limits });
    expect((await failureOf(replace('course', fresh))).code).toBe(code);
    expect(await ground.workspaces.store.names()).toEqual([]);
    expect(ground.left()).toEqual([]);
  });

  test('needs no more room of all workspaces than it has more than what it replaces', async () => {
    ground = await Ground.make({ limits: { maxTotalBytes: 10 } });
    await replace('other', { name: 'file', content: '1234' });
    await replace('course', { name: 'file', content: '123456' });
    await replace('course', { name: 'file', content: '654321' });
    expect((await failureOf(replace('course', { name: 'file', content: '1234567' }))).code).toBe(
      'quota-exceeded',
    );
    expect(treeOfCourse()).toEqual(['file: 654321']);
    await replace('course', { name: 'file', content: '123' });
    await replace('other', { name: 'file', content: '1234567' });
  });

  test('does not go where a file or a link stands, or a name that none may have', async () => {
    mkdirSync(path.join(ground.root, 'outside'));
    symlinkSync(path.join(ground.root, 'outside'), ground.at('link'));
    writeFileSync(ground.at('file'), 'theirs');
    for (const name of ['link', 'file'])
      expect((await failureOf(replace(name, fresh))).code).toBe('workspace-busy');
    for (const name of ['../outside', 'auto', '.lab-api'])
      expect((await failureOf(replace(name, fresh))).code).toBe('invalid-request');
    expect(treeOf(path.join(ground.root, 'outside'))).toEqual([]);
    expect(ground.left()).toEqual([]);
  });
});

describe('an upload that takes a while', () => {
  beforeEach(async () => void (await replace('course', old)));

  test('is the only one to its workspace; the next one may come when it has ended', async () => {
    const end = await halfUpload();
    const busy = { code: 'workspace-busy', retryAfterSeconds: 5 };
    expect(await failureOf(replace('course', fresh))).toMatchObject(busy);
    expect(await failureOf(ground.workspaces.remove('course'))).toMatchObject(busy);
    await replace('other', old);
    expect(treeOfCourse()).toEqual(withOld);
    expect(await end()).toBe(false);
    expect(treeOfCourse()).toEqual(withNew);
    await replace('course', old);
    expect(treeOfCourse()).toEqual(withOld);
  });

  test('gives way to a job, or a lab, that came meanwhile', async () => {
    let end = await halfUpload();
    job = 'job-1-abcdef';
    expect(await end()).toMatchObject({
      code: 'workspace-busy',
      extra: { conflictingJobId: 'job-1-abcdef' },
    });
    job = undefined;
    end = await halfUpload();
    lab = 'bgp';
    expect(await end()).toMatchObject({ code: 'workspace-busy', message: expect.stringContaining('"down"') });
    expect([treeOfCourse(), ground.left()]).toEqual([withOld, []]);
  });

  test('changes nothing for whoever may not any more', async () => {
    let mayChange = true;
    const end = await halfUpload(() => void (mayChange || forbidden()));
    mayChange = false;
    expect(await end()).toMatchObject({ code: 'forbidden' });
    expect([treeOfCourse(), ground.left()]).toEqual([withOld, []]);
  });

  test('is one of sixteen at most', async () => {
    const held = Array.from({ length: 16 }, () => heldBody(tarGzOf(fresh)));
    const uploads = held.map(async ({ body }, index) => replaceBody(`lab-${index}`, body));
    expect(await failureOf(replace('course', fresh))).toMatchObject({
      code: 'queue-full',
      retryAfterSeconds: 10,
    });
    for (const { go } of held) go();
    expect(await Promise.all(uploads)).toEqual(held.map(() => true));
    await replace('course', fresh);
    expect(treeOfCourse()).toEqual(withNew);
  });
});

describe('files in use', () => {
  beforeEach(async () => void (await replace('course', old)));
  const unread: Body = {
    [Symbol.asyncIterator]: () => {
      throw new Error('this was read');
    },
  };

  test('are neither replaced nor removed, and nothing of an upload is read', async () => {
    for (const user of ['job', 'lab']) {
      [job, lab] = user === 'job' ? ['job-1-abcdef', undefined] : [undefined, 'bgp'];
      expect((await failureOf(replaceBody('course', unread))).code).toBe('workspace-busy');
      expect((await failureOf(ground.workspaces.remove('course'))).code).toBe('workspace-busy');
    }
    expect([treeOfCourse(), ground.left()]).toEqual([withOld, []]);
  });

  test('are those of a lab that is seen only when the labs are looked at', async () => {
    ground = await Ground.make({
      use: {
        ...use,
        seeLabs: async () => void (lab = ground.workspaces.isTaken('course') ? 'bgp' : undefined),
      },
    });
    await replace('course', old);
    lab = undefined;
    expect((await failureOf(replaceBody('course', unread))).code).toBe('workspace-busy');
    lab = undefined;
    expect((await failureOf(ground.workspaces.remove('course'))).code).toBe('workspace-busy');
    expect(treeOfCourse()).toEqual(withOld);
  });

  test('of somebody else are neither replaced nor removed', async () => {
    expect((await failureOf(replaceBody('course', unread, forbidden))).code).toBe('forbidden');
    expect((await failureOf(ground.workspaces.remove('course', forbidden))).code).toBe('forbidden');
    expect([treeOfCourse(), ground.left()]).toEqual([withOld, []]);
  });

  test('are swapped and taken away while no job is accepted', async () => {
    let mayCome = true;
    const whileClosed: WorkspaceUse['whileClosed'] = async (action) => {
      mayCome = false;
      return action().finally(() => (mayCome = true));
    };
    ground = await Ground.make({ use: { ...use, whileClosed } });
    const seen: boolean[] = [];
    const look = (): void => void seen.push(mayCome);
    await replaceBody('course', bodyOf(tarGzOf(old)), look);
    await ground.workspaces.remove('course', look);
    expect([seen, mayCome]).toEqual([[true, false, true, false], true]);
  });
});

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
    expect(await ground.opened()).toEqual([]);
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
    expect(await ground.opened()).toEqual([]);
  });
});
