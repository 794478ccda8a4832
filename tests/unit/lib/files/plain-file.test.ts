import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import {
  NotPlainFile,
  openPlainFile,
  readPlainFile,
  readPlainBytesSync,
  TooLongFile,
} from '../../../../src/lib/files/plain-file.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const at = (name: string): string => path.join(directory, name);

writeFileSync(at('file'), 'content');
mkdirSync(at('directory'));
symlinkSync(at('file'), at('link'));
execFileSync('mkfifo', [at('pipe')]);

/** What is found there by a path; a handle that was opened is closed again. */
async function open(file: string): Promise<unknown> {
  const opened = await openPlainFile(file);
  if (opened.kind !== 'found') return opened;
  const text = await opened.handle.readFile('utf8');
  await opened.handle.close();
  return { kind: 'found', text };
}

describe.each([
  ['readPlainFile', readPlainFile],
  ['openPlainFile', open],
])('%s', (_name, take) => {
  test('gives what is in a file', async () => {
    expect(await take(at('file'))).toEqual({ kind: 'found', text: 'content' });
  });

  test.each(['nothing', 'no-directory/file'])('says that %s is absent', async (name) => {
    expect(await take(at(name))).toMatchObject({ kind: 'absent', error: { code: 'ENOENT' } });
  });

  test.each([
    ['link', 'ELOOP'],
    ['file/below', 'ENOTDIR'],
  ])('says that %s is unreadable: %s', async (name, code) => {
    expect(await take(at(name))).toMatchObject({ kind: 'unreadable', error: { code } });
  });

  test.each(['pipe', 'directory', '/dev/null', '/dev/zero'])(
    'refuses what is no plain file: %s',
    async (name) => {
      const reading = await take(path.resolve(directory, name));
      expect(reading).toEqual({ kind: 'unreadable', error: expect.any(NotPlainFile) });
    },
  );
});

test.each([0, 1, 16_383, 16_384, 16_385, 50_000])('a file of %d bytes is read whole', async (size) => {
  const text = Array.from({ length: size }, (_, index) => String.fromCodePoint(97 + (index % 26))).join('');
  writeFileSync(at('sized'), text);
  expect(await readPlainFile(at('sized'))).toEqual({ kind: 'found', text });
});

test('a character that lies across two reads is not cut', async () => {
  const text = `${'a'.repeat(16_383)}€`;
  writeFileSync(at('wide'), text);
  expect(await readPlainFile(at('wide'))).toEqual({ kind: 'found', text });
});

test('a pipe is refused though there is something in it to read', async () => {
  // Open for both, it keeps what is written, and open(2) does not wait.
  const both = openSync(at('pipe'), 'r+');
  writeSync(both, 'words');
  expect(await readPlainFile(at('pipe'))).toMatchObject({ kind: 'unreadable' });
  closeSync(both);
});

test('readPlainBytesSync gives what is in a file, and waits for nothing', () => {
  expect(readPlainBytesSync(at('file'), 100).toString()).toBe('content');
  expect(() => readPlainBytesSync(at('file'), 6)).toThrow(TooLongFile);
  expect(() => readPlainBytesSync(at('pipe'), 100)).toThrow(NotPlainFile);
  expect(() => readPlainBytesSync(at('directory'), 100)).toThrow(NotPlainFile);
  expect(() => readPlainBytesSync(at('link'), 100)).toThrow('ELOOP');
  expect(() => readPlainBytesSync(at('missing'), 100)).toThrow('ENOENT');
});
