/** One file of a list, with a disk that answers as a test wants; templates.test.ts has whole lists. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { isSame, readTemplate } from '../../../../src/labs/templates/template-file.ts';
import { loopDisk, type Disk, type OpenFile } from '../../../../src/lib/files/disk.ts';
import { ThreadFailure } from '../../../../src/lib/async/thread.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = realpathSync(temporaryDirectory());
let directory: string;
/** Files that were opened, and were closed again. */
let opened: string[];
let closed: string[];

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'templates-'));
  [opened, closed] = [[], []];
});

/** The disk of this machine, with files that are changed by `change`. */
function diskWith(change: (file: OpenFile) => Partial<OpenFile> = () => ({})): Disk {
  return {
    ...loopDisk,
    open: async (file, flags) => {
      const handle = await loopDisk.open(file, flags);
      opened.push(path.basename(file));
      const own: OpenFile = {
        fd: handle.fd,
        read: async (...given) => handle.read(...given),
        close: async () => {
          await handle.close();
          closed.push(path.basename(file));
        },
      };
      return { ...own, ...change(own) };
    },
  };
}

const parse = async (text: string): Promise<unknown> => Promise.resolve(`value of ${text}`);

interface How {
  readonly disk?: Disk;
  readonly isLink?: boolean;
  readonly parse?: typeof parse;
}

async function read(relative: string, { isLink = false, ...means }: How = {}) {
  return readTemplate(directory, { relative, isLink }, { disk: diskWith(), parse, ...means });
}

function write(relative: string, text: string): void {
  writeFileSync(path.join(directory, relative), text);
}

describe('what is in a file', () => {
  test('is told with its numbers, and it is closed', async () => {
    write('a.yml', 'grün');
    utimesSync(path.join(directory, 'a.yml'), 1_700_000_000, 1_700_000_000);
    expect(await read('a.yml')).toEqual({
      held: { value: 'value of grün' },
      facts: { size: 5, modifiedAt: '2023-11-14T22:13:20.000Z' },
      stamp: expect.stringMatching(/^\d+ \d+ 5 \d+ \d+$/),
    });
    expect([opened, closed]).toEqual([['a.yml'], ['a.yml']]);
  });

  test('is read to its end, also where the disk gives it in pieces', async () => {
    write('a.yml', 'a text of many bytes');
    const asked: number[] = [];
    const disk = diskWith(({ read: whole }) => ({
      read: async (into, offset, length, position) => {
        asked.push(length);
        return whole(into, offset, Math.min(length, 8), position);
      },
    }));
    expect((await read('a.yml', { disk })).held).toEqual({ value: 'value of a text of many bytes' });
    // Nothing behind the end is asked for.
    expect(asked).toEqual([20, 12, 4]);
  });

  test('is what is left of one that gets shorter meanwhile', async () => {
    write('a.yml', 'a text');
    const disk = diskWith(({ read: whole }) => ({
      read: async (into, offset, _length, position) =>
        position === 0 ? whole(into, offset, 3, position) : Promise.resolve({ bytesRead: 0 }),
    }));
    expect((await read('a.yml', { disk })).held).toEqual({ value: 'value of a t' });
  });

  test('may have 1 MiB', async () => {
    const longest = 1024 * 1024;
    const held = async (length: number) => {
      write('a.yml', 'x'.repeat(length));
      return (await read('a.yml', { parse: async ({ length: parsed }) => Promise.resolve(parsed) })).held;
    };
    expect(await held(longest)).toEqual({ value: longest });
    expect(await held(longest + 1)).toEqual({ problem: 'The file is larger than 1 MiB' });
  });
});

describe('why there is nothing', () => {
  test.each<[string, Error, string]>([
    ['what the parser says first', new Error('no such key:\nmore\n'), 'The file is not YAML: no such key'],
    [
      'the thread, when it could not read it',
      new ThreadFailure('time', 'it took more than 10 s'),
      'The file cannot be read: it took more than 10 s',
    ],
  ])('is %s', async (_what, failure, problem) => {
    write('a.yml', 'x');
    const found = await read('a.yml', { parse: async () => Promise.reject(failure) });
    expect(found).toMatchObject({ held: { problem }, facts: { size: 1 } });
    expect(closed).toEqual(['a.yml']);
  });

  test('is that it cannot be read, as long as the disk fails', async () => {
    write('a.yml', 'x');
    const disk = diskWith(() => ({ read: async () => Promise.reject(new Error('EIO')) }));
    expect(await read('a.yml', { disk })).toMatchObject({
      held: { problem: 'The file cannot be read' },
      facts: { size: 1 },
    });
    expect(closed).toEqual(['a.yml']);
  });

  test('is not that it cannot be closed', async () => {
    write('a.yml', 'x');
    const disk = diskWith(({ close }) => ({
      close: async () => {
        await close();
        throw new Error('EIO');
      },
    }));
    expect((await read('a.yml', { disk })).held).toEqual({ value: 'value of x' });
  });

  test('is a directory of that name', async () => {
    mkdirSync(path.join(directory, 'a.yml'));
    expect((await read('a.yml')).held).toEqual({ problem: 'This is not a regular file' });
    expect(closed).toEqual(['a.yml']);
  });
});

describe('a link', () => {
  test('that leads out is not even opened: it may be a device', async () => {
    symlinkSync('/dev/null', path.join(directory, 'a.yml'));
    expect(await read('a.yml', { isLink: true })).toEqual({
      held: { problem: 'The file is a link to the outside' },
      facts: undefined,
    });
    expect(opened).toEqual([]);
  });

  test('that has taken the place of a file since the list was made leads nowhere', async () => {
    // On every Linux, and outside.
    symlinkSync('/proc/version', path.join(directory, 'a.yml'));
    expect((await read('a.yml')).held).toEqual({ problem: 'The file is a link to the outside' });
    expect([opened, closed]).toEqual([['a.yml'], ['a.yml']]);
  });

  test('that stays inside is followed', async () => {
    write('a.yml', 'x');
    symlinkSync('a.yml', path.join(directory, 'b.yml'));
    expect((await read('b.yml', { isLink: true })).held).toEqual({ value: 'value of x' });
  });
});

describe('a file', () => {
  const same = async (stamp: string | undefined): Promise<boolean> =>
    isSame(directory, { relative: 'a.yml', isLink: false, stamp }, loopDisk);

  test('is the same until it changes, or is gone', async () => {
    write('a.yml', 'one');
    const { stamp } = await read('a.yml');
    expect([await same(stamp), await same(undefined), await same('1 2 3 4 5')]).toEqual([true, false, false]);
    write('a.yml', 'four');
    expect(await same(stamp)).toBe(false);
    const { stamp: next } = await read('a.yml');
    expect(await same(next)).toBe(true);
    rmSync(path.join(directory, 'a.yml'));
    expect(await same(next)).toBe(false);
  });

  test('that a link has taken the place of is another one', async () => {
    write('b.yml', 'one');
    symlinkSync('b.yml', path.join(directory, 'a.yml'));
    expect(await same((await read('b.yml')).stamp)).toBe(false);
  });
});
