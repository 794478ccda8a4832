import { expect, test } from '@jest/globals';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeDirectories } from '../../../../src/lib/files/make-directories.ts';
import { emptyPlace, temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();

test('makes what is missing above it, all with the mode', async () => {
  const top = emptyPlace(root).directory;
  await makeDirectories(path.join(top, 'a/b/c'), 0o700);
  for (const made of ['a', 'a/b', 'a/b/c']) expect(statSync(path.join(top, made)).mode & 0o777).toBe(0o700);
});

test('leaves a directory that is there as it is, also behind a link', async () => {
  const top = emptyPlace(root).directory;
  mkdirSync(path.join(top, 'there'), { mode: 0o755 });
  symlinkSync('there', path.join(top, 'link'));
  await makeDirectories(path.join(top, 'link'), 0o700);
  expect(statSync(path.join(top, 'there')).mode & 0o777).toBe(0o755);
});

test('a link that leads nowhere, and a file, are errors', async () => {
  const top = emptyPlace(root).directory;
  symlinkSync('nowhere', path.join(top, 'link'));
  writeFileSync(path.join(top, 'file'), '');
  await expect(makeDirectories(path.join(top, 'link'), 0o700)).rejects.toThrow('EEXIST');
  await expect(makeDirectories(path.join(top, 'link/below'), 0o700)).rejects.toThrow('EEXIST');
  await expect(makeDirectories(path.join(top, 'file'), 0o700)).rejects.toThrow('EEXIST');
});

test.each(['/proc/x', '/proc/x/y'])('ends with an error in /proc: %s', async (directory) => {
  await expect(makeDirectories(directory, 0o700)).rejects.toThrow('ENOENT');
});

// One of two services on a machine was told ENOENT when the other one had made the parent in that moment.
test('of many who make the same directories at once, none fails', async () => {
  const top = emptyPlace(root).directory;
  for (let round = 0; round < 200; round += 1) {
    const directory = path.join(top, String(round), 'a/b/c');
    await Promise.all(Array.from({ length: 8 }, async () => makeDirectories(directory, 0o700)));
    expect(statSync(directory).isDirectory()).toBe(true);
  }
});
