import { expect, test } from '@jest/globals';
import { watchFreeDisk } from '../../../../src/jobs/run/disk-watch.ts';
import { eventually } from '../../../support/eventually.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const isLow = 'the disk is below its floor: no new jobs are taken, running ones go on';
const isEnough = 'the disk is above its floor again';

test('each crossing of the floor is reported once, and not what nobody can tell', async () => {
  const mebibyte = 1024 ** 2;
  const log = new MemoryLogger();
  const told = [5, undefined, 4, 3, undefined, 2, 4, 6, 3].map((free) => free && free * mebibyte);
  let looks = 0;
  const stop = watchFreeDisk({
    directory,
    limits: { minFreeDiskBytes: 4 * mebibyte },
    log,
    intervalMs: 1,
    freeBytes: (asked) => {
      expect(asked).toBe(directory);
      looks += 1;
      return Promise.resolve(told.shift());
    },
  });
  await eventually('all looks', () => looks > 9);
  stop();
  expect(log.entries.map(({ message, fields }) => [message, fields['free']])).toEqual([
    [isLow, '3 MiB'],
    [isEnough, '4 MiB'],
    [isLow, '3 MiB'],
  ]);
});
