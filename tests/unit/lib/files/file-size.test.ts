import { expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { filesSizeNow, fileSizeNow } from '../../../../src/lib/files/file-size.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const file = path.join(temporaryDirectory(), 'file');

test('the size is in bytes, and null where there is no file', () => {
  expect(fileSizeNow(file)).toBeNull();
  writeFileSync(file, '€');
  expect(fileSizeNow(file)).toBe(3);
});

test('of a directory, it is that of its files', () => {
  const directory = path.join(path.dirname(file), 'several');
  expect(filesSizeNow(directory)).toBe(0);
  mkdirSync(directory);
  expect(filesSizeNow(directory)).toBe(0);
  for (const name of ['a', 'b']) writeFileSync(path.join(directory, name), 'four');
  symlinkSync('/no/such/file', path.join(directory, 'c'));
  expect(filesSizeNow(directory)).toBe(8);
});
