import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { writeDurably } from '../../../../src/lib/files/write-durably.ts';
import { emptyPlace, temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let directory = '';
let file = '';

beforeEach(() => {
  ({ directory, file } = emptyPlace(root));
});

describe('a file is written', () => {
  test('anew, with its mode, and nothing else is left', async () => {
    await writeDurably(file, 'content', 0o600);
    expect(readFileSync(file, 'utf8')).toBe('content');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['file']);
  });

  test('in the place of another one, which those who have it open go on seeing', async () => {
    writeFileSync(file, 'before');
    const { ino } = statSync(file);
    await writeDurably(file, 'after', 0o600);
    expect(readFileSync(file, 'utf8')).toBe('after');
    expect(statSync(file).ino).not.toBe(ino);
  });

  test('from pieces', async () => {
    await writeDurably(file, ['one\n', 'two\n'], 0o600);
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
  });

  test('over what a crash left', async () => {
    writeFileSync(`${file}.tmp`, 'half of someth');
    await writeDurably(file, 'content', 0o600);
    expect(readdirSync(directory)).toEqual(['file']);
  });

  test('through no link, neither in its own place nor in that of the temporary file', async () => {
    const precious = path.join(directory, 'precious');
    writeFileSync(precious, 'precious');
    symlinkSync(precious, file);
    symlinkSync(precious, `${file}.tmp`);
    await writeDurably(file, 'content', 0o600);
    expect(readFileSync(precious, 'utf8')).toBe('precious');
    expect(readFileSync(file, 'utf8')).toBe('content');
  });

  test('with the mode that it had, as far as it may have that, whatever the umask is', async () => {
    const umask = process.umask(0o077);
    try {
      for (const [before, most, after] of [
        [0o640, 0o640, 0o640],
        [0o666, 0o644, 0o644],
        [0o400, 0o600, 0o400],
      ] as const) {
        writeFileSync(file, 'before');
        chmodSync(file, before);
        await writeDurably(file, 'after', most);
        expect(statSync(file).mode & 0o777).toBe(after);
      }
    } finally {
      process.umask(umask);
    }
  });

  const asRoot = process.getuid?.() === 0 ? test : test.skip;
  asRoot('for the owner that it had, whoever writes', async () => {
    writeFileSync(file, 'before');
    chownSync(file, 12_345, 12_346);
    await writeDurably(file, 'after', 0o600);
    expect(statSync(file)).toMatchObject({ uid: 12_345, gid: 12_346, mode: 0o100600 });
  });
});

describe('a write that fails', () => {
  test('leaves the file as it was, and no temporary one', async () => {
    writeFileSync(file, 'before');
    const pieces = function* (): Generator<string> {
      yield 'half';
      throw new Error('no more');
    };
    await expect(writeDurably(file, pieces(), 0o600)).rejects.toThrow('no more');
    expect(readFileSync(file, 'utf8')).toBe('before');
    expect(readdirSync(directory)).toEqual(['file']);
  });

  test('because a directory has the name leaves that alone', async () => {
    mkdirSync(file);
    await expect(writeDurably(file, 'content', 0o600)).rejects.toMatchObject({ code: 'EISDIR' });
    expect(readdirSync(directory)).toEqual(['file']);
  });

  test('because there is no directory says so', async () => {
    const lost = path.join(directory, 'gone', 'file');
    await expect(writeDurably(lost, 'content', 0o600)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
