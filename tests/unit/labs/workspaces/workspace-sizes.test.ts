import { beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { measureTree, WorkspaceSizes } from '../../../../src/labs/workspaces/workspace-sizes.ts';
import { eventually } from '../../../support/eventually.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { openedBelow } from '../../../support/opened-below.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const base = temporaryDirectory();
let directory: string;
const at = (...names: readonly string[]): string => path.join(directory, ...names);

beforeEach(() => {
  directory = mkdtempSync(path.join(base, 'sizes-'));
});

describe('the size of a directory', () => {
  test('is that of the files in it and below it; directories and links are entries and no more', async () => {
    mkdirSync(at('a/b'), { recursive: true });
    writeFileSync(at('one'), '1');
    writeFileSync(at('a/b/three'), '333');
    writeFileSync(path.join(base, 'outside'), 'x'.repeat(1000));
    symlinkSync(path.join(base, 'outside'), at('to-file'));
    symlinkSync(base, at('to-directory'));
    linkSync(path.join(base, 'outside'), at('second-name'));
    execFileSync('mkfifo', [at('pipe')]);
    expect(await measureTree(directory)).toMatchObject({ size: 4, files: 2, entries: 8 });
    expect(openedBelow(directory)).toEqual([]);
  });

  test.each(['a', 'a/file', 'b', 'link'])(
    'comes with when something was changed last, as %s',
    async (last) => {
      mkdirSync(at('a'));
      mkdirSync(at('b'));
      writeFileSync(at('a/file'), '');
      symlinkSync('/nowhere', at('link'));
      for (const name of ['a/file', 'a', 'b']) utimesSync(at(name), 1, 1_600_000_000);
      lutimesSync(at('link'), 1, 1_600_000_000);
      lutimesSync(at(last), 1, 1_700_000_000);
      expect((await measureTree(directory)).modifiedMs).toBe(1_700_000_000_000);
    },
  );

  test('is not told of what is no directory, or a link to one', async () => {
    writeFileSync(at('file'), '');
    symlinkSync(base, at('link'));
    await expect(measureTree(at('missing'))).rejects.toMatchObject({ code: 'ENOENT' });
    for (const name of ['file', 'link'])
      await expect(measureTree(at(name))).rejects.toMatchObject({
        code: expect.stringMatching(/^(ENOTDIR|ELOOP)$/),
      });
  });
});

/** With workspaces in `directory`. Each look takes so long as `clock.lookMs` says. */
function sizesOf(clock = { lookMs: 0 }) {
  let nowMs = 0;
  const log = new MemoryLogger();
  const pathOf = (name: string): string => {
    nowMs += clock.lookMs;
    return at(name);
  };
  const sizes = new WorkspaceSizes({ pathOf, limits: { maxFiles: 2 }, log, now: () => nowMs });
  return { sizes, log, later: (ms: number) => void (nowMs += ms) };
}

describe('the kept size of a workspace', () => {
  const kept = { size: 3, files: 1, entries: 1 };

  beforeEach(() => {
    mkdirSync(at('course'));
    writeFileSync(at('course/file'), '123');
  });

  test('is some seconds old at most when it is quickly found, and not when something was changed', async () => {
    const { sizes, later } = sizesOf();
    expect(await sizes.of('course')).toMatchObject(kept);
    writeFileSync(at('course/file'), '1234567');
    later(4_999);
    expect(await sizes.of('course')).toMatchObject(kept);
    later(1);
    expect(await sizes.of('course')).toMatchObject({ ...kept, size: 7 });
    writeFileSync(at('course/file'), '');
    sizes.noteChange('course');
    expect(await sizes.of('course')).toMatchObject({ ...kept, size: 0 });
  });

  test('of a large workspace comes at once, with the changes by the service since the last look', async () => {
    const { sizes, later } = sizesOf({ lookMs: 251 });
    await sizes.of('course');
    writeFileSync(at('course/more'), '12');
    sizes.noteChange('course', { size: 2, files: 1, entries: 1 });
    later(1e9);
    expect(await sizes.of('course')).toMatchObject({ size: 5, files: 2, entries: 2 });
    expect([sizes.bytesOf('course'), sizes.totalBytes]).toEqual([5, 5]);
    sizes.noteChange('course', { size: -9, files: -1, entries: -1 });
    expect([sizes.bytesOf('course'), sizes.totalBytes]).toEqual([0, 0]);
  });

  test('includes an upload that ended during a look, and ignores a removal: the look may have missed either', async () => {
    const { sizes } = sizesOf();
    const look = sizes.of('course');
    sizes.noteChange('course', { size: 5, files: 1, entries: 1 });
    sizes.noteChange('course', { size: -9, files: -1, entries: -1 });
    sizes.noteChange('course', { size: 4, files: 1, entries: 2 });
    expect(await look).toMatchObject({ size: 7, files: 2, entries: 3 });
    expect(sizes.totalBytes).toBe(7);
    expect(await sizes.of('course')).toMatchObject(kept);
  });

  test('is found anew after a change, although a look had begun before the change', async () => {
    const { sizes } = sizesOf();
    const before = sizes.of('course');
    sizes.noteChange('course');
    writeFileSync(at('course/file'), '');
    const [after, other] = [sizes.of('course'), sizes.of('course')];
    await before;
    expect(await after).toMatchObject({ size: 0 });
    expect(await other).toEqual(await after);
  });

  test.each([undefined, { size: 8, files: 2, entries: 2 }])(
    'is not that of files that were replaced by %j meanwhile',
    async (amount) => {
      const { sizes } = sizesOf();
      const look = sizes.of('course');
      sizes.noteReplaced('course', amount);
      await look;
      expect([sizes.bytesOf('course'), sizes.totalBytes]).toEqual([amount?.size ?? 0, amount?.size ?? 0]);
    },
  );

  test('is forgotten when another program removes the workspace', async () => {
    const { sizes } = sizesOf();
    await sizes.of('course');
    sizes.retain(['course']);
    expect(sizes.totalBytes).toBe(3);
    sizes.retain([]);
    expect(sizes.totalBytes).toBe(0);
    await sizes.of('course');
    renameSync(at('course'), at('moved'));
    sizes.noteChange('course');
    await expect(sizes.of('course')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(sizes.totalBytes).toBe(0);
  });

  test('over the limit of files is logged once', async () => {
    const { sizes, log } = sizesOf();
    await sizes.of('course');
    for (const name of ['a', 'b', 'c']) {
      writeFileSync(at('course', name), '');
      sizes.noteChange('course');
      await sizes.of('course');
    }
    const fields = { workspace: 'course', entries: 3, limit: 2 };
    expect(log.entries).toMatchObject([{ level: 'warn', fields }]);
  });
});

describe('in the background', () => {
  test('a look at each workspace follows a start, and a look at one follows its change', async () => {
    for (const name of ['a', 'b']) {
      mkdirSync(at(name));
      writeFileSync(at(name, 'file'), '123');
    }
    const { sizes: all } = sizesOf();
    const end = all.watch(async () => ['a', 'b', 'missing']);
    try {
      await eventually('a look at both', () => all.totalBytes === 6);
      writeFileSync(at('b/file'), '12345');
      all.noteChange('b');
      await eventually('another look at b', () => all.totalBytes === 8);
    } finally {
      end();
    }
  });

  test('a large workspace is left alone for a while after a look, and holds up no other one', async () => {
    const clock = { lookMs: 1_000_000 };
    mkdirSync(at('large'));
    const { sizes } = sizesOf(clock);
    await sizes.of('large');
    clock.lookMs = 0;
    for (const name of ['large', 'other']) {
      mkdirSync(at(name), { recursive: true });
      writeFileSync(at(name, 'file'), '123');
    }
    sizes.noteChange('large');
    const end = sizes.watch(async () => ['large', 'other']);
    try {
      await eventually('a look at the other one', () => sizes.bytesOf('other') === 3);
      expect(sizes.bytesOf('large')).toBe(0);
    } finally {
      end();
    }
  });

  test('a look comes to each workspace, although another one is changed all the time', async () => {
    for (const name of ['busy', 'lab']) mkdirSync(at(name));
    const { sizes, later } = sizesOf();
    await Promise.all([sizes.of('busy'), sizes.of('lab')]);
    writeFileSync(at('lab/file'), '123');
    const end = sizes.watch(async () => {
      later(2_000);
      sizes.noteChange('busy');
      return ['busy', 'lab'];
    });
    try {
      await eventually('a look at the one that nobody reported', () => sizes.bytesOf('lab') === 3);
    } finally {
      end();
    }
  });

  test('a list of workspaces that cannot be read forgets none of them', async () => {
    const { sizes } = sizesOf();
    sizes.noteReplaced('a', { size: 3, files: 1, entries: 1 });
    let failures = 0;
    const end = sizes.watch(async () => {
      failures += 1;
      throw new Error('EMFILE');
    });
    await eventually('a failure', () => failures > 0);
    end();
    expect(sizes.totalBytes).toBe(3);
  });
});
