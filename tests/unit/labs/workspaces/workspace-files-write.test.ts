/** Files that are brought to a workspace one by one. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { AppError } from '../../../../src/lib/app-error.ts';
import type { Body } from '../../../../src/labs/workspaces/receive.ts';
import { fileETag, type WriteConditions } from '../../../../src/labs/workspaces/workspace-files.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { bodyOf, Ground, heldBody, treeOf } from './ground.ts';

let ground: Ground;
const inside = (...names: readonly string[]): string => ground.at('course', ...names);
const any = { check: () => undefined };
const textOf = (file: string): string => readFileSync(inside(file), 'utf8');
const modeOf = (file: string): number => statSync(inside(file)).mode & 0o777;
const tagOf = (file: string): string => fileETag(lstatSync(inside(file), { bigint: true }));
const writeBody = async (file: string, body: Body, conditions: WriteConditions = any) =>
  ground.files.write('course', file, body, conditions);
const write = async (file: string, text: string, conditions: WriteConditions = any) =>
  writeBody(file, bodyOf(text), conditions);
const refuse =
  (code: 'precondition-failed' | 'forbidden'): (() => void) =>
  () => {
    throw new AppError(code, 'no');
  };

beforeEach(async () => {
  ground = await Ground.make();
  await ground.workspaces.make('course', null);
});

describe('a new file', () => {
  test('is made with the directories above it, and told as new with its tag', async () => {
    expect(await write('a/b/file', 'text')).toEqual({ isNew: true, etag: tagOf('a/b/file') });
    expect(treeOf(inside())).toEqual(['a/', 'a/b/', 'a/b/file: text']);
    expect([modeOf('a'), modeOf('a/b/file')]).toEqual([0o755 & ~process.umask(), 0o644 & ~process.umask()]);
    expect(ground.left()).toEqual([]);
    expect(await ground.opened()).toEqual([]);
  });

  test('must have a name', async () => {
    for (const wrong of ['', '.', './'])
      expect(await failureOf(write(wrong, 'x'))).toMatchObject({
        code: 'invalid-request',
        message: 'path: must name a file',
      });
  });

  test('is made in a workspace only', async () => {
    symlinkSync(inside(), ground.at('link'));
    writeFileSync(ground.at('file'), '');
    for (const name of ['other', '..', '.lab-api', 'link', 'file']) {
      const attempt = ground.files.write(name, 'a/file', bodyOf('x'), any);
      expect([name, (await failureOf(attempt)).code]).toEqual([name, 'workspace-not-found']);
    }
    expect(treeOf(inside())).toEqual([]);
    expect(ground.left()).toEqual([]);
  });
});

describe('a file that is there', () => {
  test('is replaced by another one; whoever reads it goes on with the old one', async () => {
    await write('file', 'old');
    const handle = await ground.files.open('course', 'file');
    const before = tagOf('file');
    const { isNew, etag } = await write('file', 'new');
    expect([isNew, etag]).toEqual([false, tagOf('file')]);
    expect(etag).not.toBe(before);
    expect(await handle.readFile('utf8')).toBe('old');
    await handle.close();
    expect(textOf('file')).toBe('new');
  });

  test('stays a program if it was one, and becomes none if it was not', async () => {
    for (const [name, mode] of [
      ['program', 0o744],
      ['text', 0o666],
    ] as const) {
      await write(name, 'old');
      chmodSync(inside(name), mode);
      await write(name, 'new');
    }
    expect([modeOf('program'), modeOf('text')]).toEqual([0o755, 0o644 & ~process.umask()]);
  });

  test('stays as it was when the new one does not come whole, and nothing is left of that', async () => {
    await write('file', 'old');
    const reason = new Error('the connection is gone');
    const broken = (async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw reason;
    })();
    await expect(writeBody('file', broken)).rejects.toBe(reason);
    expect(textOf('file')).toBe('old');
    expect(ground.left()).toEqual([]);
  });

  test('is replaced only if it is the one that the client has seen, before and after the upload', async () => {
    await write('file', 'old');
    const seen: (string | undefined)[] = [];
    const check = (etag: string | undefined): void => void seen.push(etag);
    await write('file', 'new', { check });
    await write('other/file', 'new', { check });
    const [first, second, ...others] = seen;
    expect(first).toMatch(/^"[-0-9a-z]+"$/);
    expect(second).toBe(first);
    expect(others).toEqual([undefined, undefined]);
    expect((await failureOf(write('file', 'x', { check: refuse('precondition-failed') }))).code).toBe(
      'precondition-failed',
    );
    expect(textOf('file')).toBe('new');
  });

  test('is not replaced when somebody else did so during the upload', async () => {
    await write('file', 'old');
    const tag = tagOf('file');
    const check = (etag: string | undefined): void => {
      if (etag !== tag) refuse('precondition-failed')();
    };
    const { body, hasCome, go } = heldBody('mine');
    const mine = failureOf(writeBody('file', body, { check }));
    await Promise.race([hasCome, mine]);
    await write('file', 'theirs');
    go();
    expect((await mine).code).toBe('precondition-failed');
    expect(textOf('file')).toBe('theirs');
    expect(ground.left()).toEqual([]);
    expect(await ground.opened()).toEqual([]);
  });

  test('is not replaced for whoever may not change it, nor for whoever may not any more after the upload', async () => {
    await write('file', 'old');
    const never = { ...any, mayChange: refuse('forbidden') };
    expect((await failureOf(write('file', 'new', never))).code).toBe('forbidden');
    let calls = 0;
    const once = { ...any, mayChange: () => void ((calls += 1) > 1 && refuse('forbidden')()) };
    expect((await failureOf(write('file', 'new', once))).code).toBe('forbidden');
    expect(textOf('file')).toBe('old');
    expect(ground.left()).toEqual([]);
  });
});

describe('what is no file', () => {
  let outside: string;
  beforeEach(() => {
    outside = path.join(ground.root, 'outside');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'file'), 'theirs');
  });
  const invalid = { code: 'invalid-request', errors: [expect.objectContaining({ field: 'path' })] };

  test('is not written, nor what it leads to', async () => {
    mkdirSync(inside('directory'));
    symlinkSync(path.join(outside, 'file'), inside('link'));
    symlinkSync(path.join(outside, 'new'), inside('dangling'));
    execFileSync('mkfifo', [inside('pipe')]);
    for (const name of ['directory', 'link', 'dangling', 'pipe'])
      expect(await failureOf(write(name, 'mine'))).toMatchObject(invalid);
    expect(treeOf(outside)).toEqual(['file: theirs']);
    expect(ground.left()).toEqual([]);
  });

  test('but another name of somebody’s file, is parted from it', async () => {
    linkSync(path.join(outside, 'file'), inside('second-name'));
    await write('second-name', 'mine');
    expect([textOf('second-name'), treeOf(outside)]).toEqual(['mine', ['file: theirs']]);
  });

  test('is not gone through: neither a link to a directory nor a file', async () => {
    symlinkSync(outside, inside('link'));
    writeFileSync(inside('file'), 'mine');
    for (const wrong of ['link/file', 'link/new', 'link/below/new', 'file/new', 'file/below/new'])
      expect([wrong, await failureOf(write(wrong, 'x'))]).toEqual([wrong, expect.objectContaining(invalid)]);
    expect(treeOf(outside)).toEqual(['file: theirs']);
    expect(textOf('file')).toBe('mine');
    expect(ground.left()).toEqual([]);
    expect(await ground.opened()).toEqual([]);
  });

  test('is not gone through when it comes during the upload', async () => {
    await write('a/file', 'old');
    const { body, hasCome, go } = heldBody('mine');
    const failure = failureOf(writeBody('a/file', body));
    await Promise.race([hasCome, failure]);
    rmSync(inside('a'), { recursive: true });
    symlinkSync(outside, inside('a'));
    go();
    expect(await failure).toMatchObject(invalid);
    expect(treeOf(outside)).toEqual(['file: theirs']);
    expect(ground.left()).toEqual([]);
  });

  test('is not overwritten when it comes during the upload', async () => {
    const { body, hasCome, go } = heldBody('mine');
    const failure = failureOf(writeBody('file', body));
    await Promise.race([hasCome, failure]);
    symlinkSync(path.join(outside, 'file'), inside('file'));
    go();
    expect(await failure).toMatchObject(invalid);
    expect(treeOf(outside)).toEqual(['file: theirs']);
  });
});

describe('the workspace', () => {
  test('that is removed during the upload is told to be gone, and not made again', async () => {
    const { body, hasCome, go } = heldBody('mine');
    const failure = failureOf(writeBody('a/file', body));
    await Promise.race([hasCome, failure]);
    await ground.workspaces.remove('course');
    go();
    expect((await failure).code).toBe('workspace-not-found');
    expect(await ground.workspaces.store.exists('course')).toBe(false);
    expect(ground.left()).toEqual([]);
  });

  test('that a link has taken the place of during the upload gets nothing, nor does where it leads', async () => {
    const { body, hasCome, go } = heldBody('mine');
    const failure = failureOf(writeBody('file', body));
    await Promise.race([hasCome, failure]);
    renameSync(inside(), path.join(ground.root, 'moved'));
    symlinkSync(path.join(ground.root, 'moved'), inside());
    go();
    expect((await failure).code).toBe('workspace-not-found');
    expect(treeOf(path.join(ground.root, 'moved'))).toEqual([]);
  });
});

const isRoot = process.getuid?.() === 0;
const it = isRoot ? test : test.skip;

it(`with a user for labs, files and new directories are that user’s, and others stay whose they are${isRoot ? '' : ' (skipped: needs root)'}`, async () => {
  const owner = { uid: 64_321, gid: 64_322 };
  ground = await Ground.make({ owner });
  await ground.workspaces.make('course', null);
  mkdirSync(inside('there'));
  await write('there/new/file', 'text');
  for (const name of ['there/new', 'there/new/file']) expect(lstatSync(inside(name))).toMatchObject(owner);
  expect(lstatSync(inside('there'))).toMatchObject({ uid: 0, gid: 0 });
});
