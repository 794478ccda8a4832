import { beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { AppError } from '../../../../src/lib/app-error.ts';
import { makeDeepTree } from '../../../support/deep-tree.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { refuseWrites } from '../../../support/stored-jobs.ts';
import { bodyOf, Ground, treeOf } from './ground.ts';

let ground: Ground;
const inside = (...names: readonly string[]): string => ground.at('course', ...names);
const outside = (...names: readonly string[]): string => path.join(ground.root, 'outside', ...names);
const any = { check: () => undefined };
const list = async (directory = '', isRecursive = false) =>
  ground.files.list('course', directory, isRecursive);

beforeEach(async () => {
  ground = await Ground.make();
  await ground.workspaces.make('course', null);
  mkdirSync(inside('a/b'), { recursive: true });
  writeFileSync(inside('a/b/deep'), 'deep');
  writeFileSync(inside('top'), 'top');
  mkdirSync(outside('b'), { recursive: true });
  writeFileSync(outside('deep'), 'theirs');
  writeFileSync(outside('b/deep'), 'theirs');
});

/** Everything in a workspace that is there and is not served. */
function plantSpecials(): readonly string[] {
  symlinkSync(outside(), inside('to-directory'));
  symlinkSync(outside('deep'), inside('to-file'));
  symlinkSync(outside('nowhere'), inside('to-nowhere'));
  linkSync(outside('deep'), inside('second-name'));
  execFileSync('mkfifo', [inside('pipe')]);
  return ['pipe', 'second-name', 'to-directory', 'to-file', 'to-nowhere'];
}

describe('the list of files', () => {
  test('is cut when its paths are too long together', async () => {
    makeDeepTree(inside(), 800, 'd'.repeat(255));
    const { entries, isCut } = await list('', true);
    expect(isCut).toBe(true);
    expect(entries.length).toBeGreaterThan(700);
    // The removal of the temporary directory goes by paths.
    await ground.workspaces.remove('course');
  });

  test('is that of one directory, sorted, or of all below it', async () => {
    utimesSync(inside('top'), 1, 1_700_000_000);
    expect(await list()).toEqual({
      entries: [
        expect.objectContaining({ path: 'a', kind: 'directory', size: 0 }),
        { path: 'top', kind: 'file', size: 3, modifiedAt: '2023-11-14T22:13:20.000Z' },
      ],
      isCut: false,
    });
    const paths = async (directory: string, isRecursive: boolean) =>
      (await list(directory, isRecursive)).entries.map((entry) => entry.path);
    expect(await paths('', true)).toEqual(['a', 'a/b', 'a/b/deep', 'top']);
    expect(await paths('a', false)).toEqual(['a/b']);
    expect(await paths('./a//b/', true)).toEqual(['a/b/deep']);
    expect(await ground.opened()).toEqual([]);
  });

  test('names what is no plain file, does not say how long it is, and goes nowhere through it', async () => {
    const specials = plantSpecials();
    const { entries } = await list('', true);
    const others = entries.filter(({ kind }) => kind === 'other');
    expect(others.map((entry) => entry.path)).toEqual(specials);
    expect(others.map(({ size }) => size)).toEqual(specials.map(() => 0));
    expect(entries).toHaveLength(4 + specials.length);
    expect((await failureOf(list('to-directory'))).code).toBe('file-not-found');
  });

  test('is cut off after 10,000 entries, and says so', async () => {
    rmSync(inside('a'), { recursive: true });
    writeFileSync(inside('z'), '');
    const { workspaces } = ground;
    const openTop = workspaces.openTop.bind(workspaces);
    workspaces.openTop = async (name) => {
      const top = await openTop(name);
      // One file stands for each of them: to make them all would take seconds.
      const [one, last] = await top.entries();
      top.entries = async () => [...Array.from({ length: 10_000 }, () => one!), last!];
      return top;
    };
    const { entries, isCut } = await list();
    expect([entries.length, entries.at(-1)?.path, isCut]).toEqual([10_000, 'top', true]);
  });

  test.each([
    ['missing', 'nothing', 'file-not-found'],
    ['below a file', 'top/x', 'file-not-found'],
    ['a file', 'top', 'file-not-found'],
    ['above it', '../course', 'invalid-request'],
    ['absolute', '/etc', 'invalid-request'],
  ])('is not given of a directory that is %s', async (_, directory, code) => {
    const failure = await failureOf(list(directory));
    expect(failure).toMatchObject({ code, errors: [expect.objectContaining({ field: 'path' })] });
    expect(failure.message).toContain(`"${directory}"`);
  });
});

describe('a file', () => {
  test('is opened for reading', async () => {
    const handle = await ground.files.open('course', 'a/b/deep');
    try {
      expect(await handle.readFile('utf8')).toBe('deep');
      await expect(handle.write('x')).rejects.toMatchObject({ code: 'EBADF' });
    } finally {
      await handle.close();
    }
    expect(await ground.opened()).toEqual([]);
  });

  test('is not found at what is none, or beyond a link', async () => {
    const specials = plantSpecials();
    for (const name of [...specials, 'to-directory/deep', 'a', '', '.', 'none', 'a/none', 'none/x', 'top/x'])
      expect([name, (await failureOf(ground.files.open('course', name))).code]).toEqual([
        name,
        'file-not-found',
      ]);
    expect(await ground.opened()).toEqual([]);
  });

  test.each(['../outside/deep', 'a/../top', '/etc/hostname', 'a\0b', 'a\\b', 'a\nb'])(
    'has no path such as %j, for whatever purpose',
    async (wrong) => {
      const attempts = [
        async () => ground.files.open('course', wrong),
        async () => ground.files.remove('course', wrong, any),
        async () => ground.files.write('course', wrong, bodyOf('x'), any),
      ];
      for (const attempt of attempts)
        expect(await failureOf(attempt())).toMatchObject({
          code: 'invalid-request',
          errors: [expect.objectContaining({ field: 'path' })],
        });
      expect(treeOf(outside())).toEqual(['b/', 'b/deep: theirs', 'deep: theirs']);
    },
  );

  test('is not looked for in what is no workspace', async () => {
    const attempts = [
      async () => ground.files.open('other', 'top'),
      async () => ground.files.remove('other', 'top', any),
      async () => ground.files.remove('..', 'outside/deep', any),
    ];
    for (const attempt of attempts) expect((await failureOf(attempt())).code).toBe('workspace-not-found');
  });
});

describe('a removal', () => {
  const remove = async (file: string, check: (etag: string | undefined) => void = any.check) =>
    ground.files.remove('course', file, { check });

  test('takes a file, and then the directory, which is empty', async () => {
    await remove('a/b/deep');
    await remove('a/b');
    expect(treeOf(inside())).toEqual(['a/', 'top: top']);
    expect((await failureOf(remove('a/b'))).code).toBe('file-not-found');
    expect(await ground.opened()).toEqual([]);
  });

  test('takes a link or a special file, and nothing of where it leads', async () => {
    for (const name of plantSpecials()) await remove(name);
    expect(treeOf(inside())).toEqual(['a/', 'a/b/', 'a/b/deep: deep', 'top: top']);
    expect(treeOf(outside())).toEqual(['b/', 'b/deep: theirs', 'deep: theirs']);
  });

  test('takes nothing beyond a link, also when that has come in the place of a directory', async () => {
    rmSync(inside('a'), { recursive: true });
    symlinkSync(outside(), inside('a'));
    for (const file of ['a/deep', 'a/b/deep'])
      expect((await failureOf(remove(file))).code).toBe('file-not-found');
    expect(treeOf(outside())).toEqual(['b/', 'b/deep: theirs', 'deep: theirs']);
  });

  test('takes no directory with files in it, and not the workspace itself', async () => {
    expect(await failureOf(remove('a'))).toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining('remove those first'),
    });
    for (const whole of ['', '.', './'])
      expect((await failureOf(remove(whole))).message).toContain('path: must name a file');
    expect(treeOf(inside())).toHaveLength(4);
  });

  test('takes only what the client has seen', async () => {
    const seen: (string | undefined)[] = [];
    const refuse = (etag: string | undefined): void => {
      seen.push(etag);
      throw new AppError('precondition-failed', 'changed');
    };
    for (const name of ['top', 'a/b'])
      expect((await failureOf(remove(name, refuse))).code).toBe('precondition-failed');
    expect(seen).toEqual([expect.stringMatching(/^"[-0-9a-z]+"$/), undefined]);
    expect(treeOf(inside())).toHaveLength(4);
  });

  test('takes nothing of whoever may not change it', async () => {
    const mayChange = (): void => {
      throw new AppError('forbidden', 'not yours');
    };
    const refused = ground.files.remove('course', 'top', { ...any, mayChange });
    expect((await failureOf(refused)).code).toBe('forbidden');
    expect(readFileSync(inside('top'), 'utf8')).toBe('top');
  });

  test('of a file of a workspace that has gone, or is no directory, is told so', async () => {
    renameSync(inside(), ground.at('gone'));
    expect((await failureOf(remove('top'))).code).toBe('workspace-not-found');
    symlinkSync(ground.at('gone'), inside());
    expect((await failureOf(remove('top'))).code).toBe('workspace-not-found');
    rmSync(inside());
    const letWrites = refuseWrites(inside('..', 'gone'));
    renameSync(ground.at('gone'), inside());
    expect((await failureOf(remove('top'))).code).toBe('workspace-not-found');
    renameSync(inside(), ground.at('gone'));
    letWrites();
    expect(readFileSync(ground.at('gone/top'), 'utf8')).toBe('top');
  });
});
