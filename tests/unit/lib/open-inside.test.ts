import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openInside } from '../../../src/lib/open-inside.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = realpathSync(temporaryDirectory());
const directory = path.join(root, 'inside');
mkdirSync(path.join(directory, 'below'), { recursive: true });
writeFileSync(path.join(directory, 'below', 'file'), 'words');
writeFileSync(path.join(root, 'outside'), 'secret');
symlinkSync('below/file', path.join(directory, 'link'));
symlinkSync('../outside', path.join(directory, 'way-out'));

const openFiles = (): string[] => readdirSync('/proc/self/fd');

test.each(['below/file', 'link'])('%s is opened: it lies inside', async (name) => {
  const handle = await openInside(directory, name);
  expect(await handle?.readFile('utf8')).toBe('words');
  await handle?.close();
});

test.each(['way-out', '../outside'])('%s leads out, and is closed again', async (name) => {
  const before = openFiles().length;
  expect(await openInside(directory, name)).toBeUndefined();
  expect(openFiles()).toHaveLength(before);
});

test('what is not there is an error', async () => {
  await expect(openInside(directory, 'nothing')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a pipe is not waited for', async () => {
  execFileSync('mkfifo', [path.join(directory, 'pipe')]);
  const handle = await openInside(directory, 'pipe');
  expect((await handle?.stat())?.isFIFO()).toBe(true);
  await handle?.close();
});
