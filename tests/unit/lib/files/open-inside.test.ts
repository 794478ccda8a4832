import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  fstatSync,
  mkdirSync,
  readdirSync,
  readSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { closeRead, openInside } from '../../../../src/lib/files/open-inside.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = realpathSync(temporaryDirectory());
const directory = path.join(root, 'inside');
mkdirSync(path.join(directory, 'below'), { recursive: true });
writeFileSync(path.join(directory, 'below', 'file'), 'words');
writeFileSync(path.join(root, 'outside'), 'secret');
symlinkSync('below/file', path.join(directory, 'link'));
symlinkSync('../outside', path.join(directory, 'way-out'));
execFileSync('mkfifo', [path.join(directory, 'pipe')]);

const openFiles = (): number => readdirSync('/proc/self/fd').length;

function open(name: string): number {
  const fd = openInside(directory, name);
  if (fd === undefined) throw new Error(`${name} was not opened`);
  return fd;
}

test.each(['below/file', 'link'])('%s is opened: it lies inside', (name) => {
  const before = openFiles();
  const fd = open(name);
  const bytes = Buffer.alloc(10);
  expect(readSync(fd, bytes, 1, 4, 1)).toBe(4);
  expect(bytes.toString('utf8', 1, 5)).toBe('ords');
  closeRead(fd);
  expect(openFiles()).toBe(before);
});

test.each(['way-out', '../outside'])('%s leads out, and is closed again', (name) => {
  const before = openFiles();
  expect(openInside(directory, name)).toBeUndefined();
  expect(openFiles()).toBe(before);
});

test('a file that does not exist is an error', () => {
  expect(() => openInside(directory, 'nothing')).toThrow('ENOENT');
});

test('a pipe is not waited for', () => {
  const fd = open('pipe');
  expect(fstatSync(fd).isFIFO()).toBe(true);
  closeRead(fd);
});

test('a file that is closed already is no error', () => {
  const fd = open('below/file');
  closeRead(fd);
  expect(() => closeRead(fd)).not.toThrow();
});
