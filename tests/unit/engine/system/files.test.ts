import { beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  makeDirectory,
  readOwnFile,
  readTextFile,
  replaceFile,
} from '../../../../src/engine/system/files.ts';
import { emptyPlace, temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let directory: string;
let file: string;

beforeEach(() => {
  ({ directory, file } = emptyPlace(root));
});

describe('a file that is replaced', () => {
  test('has its text and its mode, and nothing beside it', async () => {
    await replaceFile(file, 'one', 0o600);
    await replaceFile(file, 'two', 0o600);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['two', 0o600]);
    expect(readdirSync(directory)).toEqual(['file']);
  });

  test.each(['precious', 'nowhere'])(
    'replaces a link to %s, and leaves alone what it leads to',
    async (to) => {
      writeFileSync(path.join(directory, 'precious'), 'mine');
      symlinkSync(to, file);
      await replaceFile(file, 'ours');
      expect(lstatSync(file).isFile()).toBe(true);
      expect(readFileSync(path.join(directory, 'precious'), 'utf8')).toBe('mine');
      expect(readdirSync(directory).toSorted()).toEqual(['file', 'precious']);
    },
  );

  test('that cannot be written is named, and nothing is left', async () => {
    await makeDirectory(path.join(file, 'full'));
    await expect(replaceFile(file, 'text')).rejects.toThrow(`cannot write ${file}: `);
    expect(readdirSync(directory)).toEqual(['file']);
  });
});

describe('a directory', () => {
  test('is made with those above it, also twice at once', async () => {
    const deep = path.join(directory, 'a/b/c');
    await Promise.all([makeDirectory(deep), makeDirectory(deep)]);
    expect(statSync(deep).isDirectory()).toBe(true);
  });

  test('below /proc is an error, not an endless attempt', async () => {
    await expect(makeDirectory('/proc/lab-api-none/below')).rejects.toThrow('ENOENT');
  });
});

describe('a file that is read', () => {
  test('has at most so much', async () => {
    writeFileSync(file, 'a'.repeat(1_048_576));
    expect(await readTextFile(file, 1_048_576)).toHaveLength(1_048_576);
    writeFileSync(file, 'ä'.repeat(1_048_576));
    await expect(readTextFile(file, 1_048_576)).rejects.toThrow('has more than 1 MiB');
  });

  test.each(['/dev/zero', '/dev/random', root])('%s is refused at once', async (name) => {
    await expect(readTextFile(name, 100)).rejects.toThrow(`${name} is not a regular file`);
  });

  test('a pipe without a writer does not block the read', async () => {
    execFileSync('mkfifo', [file]);
    await expect(readTextFile(file, 100)).rejects.toThrow('is not a regular file');
  });

  test.each(['latin1', 'utf16le'] as const)('in %s is refused', async (encoding) => {
    writeFileSync(file, 'message: Grüße', encoding);
    await expect(readTextFile(file, 100)).rejects.toThrow('is not text in UTF-8');
  });
});

describe('a file of our own', () => {
  test('is read', async () => {
    writeFileSync(file, 'ours');
    expect(await readOwnFile(file)).toBe('ours');
  });

  test('is never a link, however good what it leads to', async () => {
    writeFileSync(path.join(directory, 'precious'), 'mine');
    symlinkSync('precious', file);
    await expect(readOwnFile(file)).rejects.toThrow('ELOOP');
  });

  test('is not a pipe without a writer', async () => {
    execFileSync('mkfifo', [file]);
    await expect(readOwnFile(file)).rejects.toThrow(`${file} is not a regular file`);
  });
});

test('a replaced file is on the disk before it has its name, and its name before we go on', () => {
  const program = `import { replaceFile } from ${JSON.stringify(path.resolve('dist/modules/engine/system/files.js'))};
await replaceFile(process.argv[1], 'text');`;
  const preload = path.resolve('tests/fixtures/note-file-steps.cjs');
  const said = execFileSync(
    process.execPath,
    ['--require', preload, '--input-type=module', '-e', program, file],
    { encoding: 'utf8' },
  );
  expect(said.trim().split('\n')).toEqual(['write', 'sync', 'rename', `open ${directory}`, 'sync']);
});
