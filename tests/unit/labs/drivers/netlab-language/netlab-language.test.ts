import { describe, expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  checkDown,
  netlabResultChecks,
} from '../../../../../src/labs/drivers/netlab-language/netlab-language.ts';
import type { ClaimedSuccess } from '../../../../../src/labs/drivers/lab-driver.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

/** Why `down` is not believed; `dirs` are the directories in the status. */
const whyNot = async (
  workdir: string,
  how: { dirs?: readonly string[] | 'unknown'; dryRun?: boolean; left?: string; logEnd?: string } = {},
) => {
  const { dirs = [], dryRun = false, left, logEnd = 'Stopping clab nodes\n' } = how;
  const instanceDirs = () => Promise.resolve(dirs === 'unknown' ? undefined : dirs);
  return checkDown({ workdir, instanceDirs, dryRun, logEnd }, () => Promise.resolve(left));
};

describe('down that exited with 0', () => {
  const root = temporaryDirectory();
  const gone = path.join(root, 'gone');
  const locked = path.join(root, 'locked');
  mkdirSync(gone);
  mkdirSync(locked);
  writeFileSync(path.join(locked, 'netlab.lock'), '');
  symlinkSync(gone, path.join(root, 'link'));

  type How = Parameters<typeof whyNot>[1];

  test.each<[string, string, How]>([
    ['nothing is left', gone, { dirs: ['/labs/other', path.join(root, 'vanished')] }],
    ['the status is unknown', gone, { dirs: 'unknown' }],
    ['it was a dry run', locked, { dirs: [locked], dryRun: true, left: 'the bridges a' }],
  ])('is believed when %s', async (_what, workdir, how) => {
    expect(await whyNot(workdir, how)).toBeUndefined();
  });

  test.each<[string, string, How, string]>([
    ['the lock is still there', locked, {}, `${locked}/netlab.lock is still there`],
    ['the status lists it', gone, { dirs: [gone] }, `the status still lists ${gone}`],
    [
      'the status lists a link to it',
      gone,
      { dirs: [path.join(root, 'link')] },
      `the status still lists ${gone}`,
    ],
    [
      'the status lists its path, and the directory is gone',
      '/no/such/directory',
      { dirs: ['/no/such', '/no/such/../such/directory'] },
      'the status still lists',
    ],
    [
      'netlab printed why, and the lock is still there',
      locked,
      {
        logEnd:
          "Checking virtualization provider installation\nFatal error in netlab: Cannot run 'docker version'. Install Docker.\n",
      },
      `the lab was not stopped: Cannot run 'docker version'. Install Docker; ${locked}/netlab.lock is`,
    ],
    [
      'a part of it is left',
      gone,
      { left: 'the bridges a, b' },
      'there are still the bridges a, b; see the log',
    ],
  ])('is not believed when %s', async (_what, workdir, how, why) => {
    expect(await whyNot(workdir, how)).toContain(why);
  });
});

test.each([
  ['skipping: no hosts matched\n\nPLAY RECAP ****\n', expect.stringContaining('found no lab in /labs/x')],
  ['skipping: \u001b[36mno hosts matched\u001b[0m', expect.stringContaining('found no lab')],
  ['TASK [Collect] ***\nskipping: [h1]\nok: [r1]\n', undefined],
])('collect that exited with 0 and printed %j', async (logEnd, why) => {
  const claim = { workdir: '/labs/x', logEnd } as ClaimedSuccess;
  expect(await netlabResultChecks['lab-was-found'](claim)).toEqual(why);
});
