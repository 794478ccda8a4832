import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readRegularFile } from '../../../../src/lib/files/read-regular-file.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const file = path.join(directory, 'file');
writeFileSync(file, 'content');

test('reads a file, and through a link to it', () => {
  symlinkSync(file, path.join(directory, 'link'));
  for (const name of ['file', 'link'])
    expect(readRegularFile(path.join(directory, name)).toString()).toBe('content');
});

test('refuses a pipe, which nobody writes to, and a device', () => {
  const pipe = path.join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const name of [pipe, '/dev/zero']) expect(() => readRegularFile(name)).toThrow('not a regular file');
});

test('says why a file cannot be read', () => {
  expect(() => readRegularFile(path.join(directory, 'none'))).toThrow('ENOENT');
  expect(() => readRegularFile(directory)).toThrow('EISDIR');
});
