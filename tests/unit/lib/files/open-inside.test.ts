import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { fstatSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loopDisk, threadDisk } from '../../../../src/lib/files/disk.ts';
import { openInside } from '../../../../src/lib/files/open-inside.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = realpathSync(temporaryDirectory());
const directory = path.join(root, 'inside');
mkdirSync(path.join(directory, 'below'), { recursive: true });
writeFileSync(path.join(directory, 'below', 'file'), 'words');
writeFileSync(path.join(root, 'outside'), 'secret');
symlinkSync('below/file', path.join(directory, 'link'));
symlinkSync('../outside', path.join(directory, 'way-out'));
execFileSync('mkfifo', [path.join(directory, 'pipe')]);

const openFiles = (): string[] => readdirSync('/proc/self/fd');

describe.each([
  ['a loop', loopDisk],
  ['a thread', threadDisk],
])('for %s', (_, disk) => {
  test.each(['below/file', 'link'])('%s is opened: it lies inside', async (name) => {
    const before = openFiles().length;
    const file = await openInside(disk, directory, name);
    const bytes = Buffer.alloc(10);
    expect((await file?.read(bytes, 1, 4, 1))?.bytesRead).toBe(4);
    expect(bytes.toString('utf8', 1, 5)).toBe('ords');
    await file?.close();
    expect(openFiles()).toHaveLength(before);
  });

  test.each(['way-out', '../outside'])('%s leads out, and is closed again', async (name) => {
    const before = openFiles().length;
    expect(await openInside(disk, directory, name)).toBeUndefined();
    expect(openFiles()).toHaveLength(before);
  });

  test('what is not there is an error', async () => {
    await expect(openInside(disk, directory, 'nothing')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a pipe is not waited for', async () => {
    const file = await openInside(disk, directory, 'pipe');
    expect(file && fstatSync(file.fd).isFIFO()).toBe(true);
    await file?.close();
  });
});
