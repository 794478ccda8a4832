import { expect, test } from '@jest/globals';
import { statfsSync } from 'node:fs';
import { freeDiskBytes } from '../../../../src/lib/files/free-disk.ts';

test('is in bytes, and of the disk that the directory is on', async () => {
  // Of a file system that nobody writes to.
  const { bavail, bsize } = statfsSync('/proc');
  expect(await freeDiskBytes('/proc')).toBe(bavail * bsize);
  const { blocks, bsize: unit } = statfsSync('/');
  const free = (await freeDiskBytes('/')) ?? 0;
  expect(free).toBeLessThanOrEqual(blocks * unit);
  expect(free % unit).toBe(0);
});

test('is not known where there is no directory', async () => {
  expect(await freeDiskBytes('/no/such/place')).toBeUndefined();
});
