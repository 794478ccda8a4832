import { describe, expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkCollect, checkDown, notGone } from '../../../../../src/labs/drivers/netlab/result-checks.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

describe('down that exited with 0', () => {
  const root = temporaryDirectory();
  const gone = path.join(root, 'gone');
  const locked = path.join(root, 'locked');
  mkdirSync(gone);
  mkdirSync(locked);
  writeFileSync(path.join(locked, 'netlab.lock'), '');
  symlinkSync(gone, path.join(root, 'link'));

  test.each([
    {
      name: 'nothing is left',
      workdir: gone,
      instanceDirs: ['/labs/other', path.join(root, 'vanished')],
      dryRun: false,
    },
    { name: 'the status could not be told', workdir: gone, instanceDirs: undefined, dryRun: false },
    { name: 'it was a dry run', workdir: locked, instanceDirs: [locked], dryRun: true },
  ])('is believed when $name', async ({ workdir, instanceDirs, dryRun }) => {
    expect(await checkDown({ workdir, instanceDirs, dryRun })).toBeUndefined();
  });

  test('is not believed when the lock is still there', async () => {
    const text = await checkDown({ workdir: locked, instanceDirs: [], dryRun: false });
    expect(text).toContain(`${locked}/netlab.lock is still there`);
  });

  test.each([
    ['it', 'gone'],
    ['a link to it', 'link'],
  ])('is not believed when the status lists %s', async (_what, name) => {
    const listed = path.join(root, name);
    const text = await checkDown({ workdir: gone, instanceDirs: [listed], dryRun: false });
    expect(text).toContain(`the status still lists ${gone}`);
  });
});

test('of a directory that is not there any more, the path is what counts', async () => {
  const workdir = '/no/such/directory';
  expect(await checkDown({ workdir, instanceDirs: ['/no/such/../such/directory'], dryRun: false })).toContain(
    'the status still lists',
  );
  expect(await checkDown({ workdir, instanceDirs: ['/no/such'], dryRun: false })).toBeUndefined();
});

describe('after collect', () => {
  test('a play without hosts collected nothing', () => {
    const log = 'PLAY [Collect device configurations] ****\nskipping: no hosts matched\n\nPLAY RECAP ****\n';
    expect(checkCollect('/labs/x', log)).toMatch(/found no lab in \/labs\/x/);
  });

  test('its colours do not hide that', () => {
    expect(checkCollect('/labs/x', 'skipping: \u001b[36mno hosts matched\u001b[0m')).toContain(
      'found no lab',
    );
  });

  test('a play with hosts is believed, also when it skipped some of them', () => {
    expect(checkCollect('/labs/x', 'TASK [Collect] ***\nskipping: [h1]\nok: [r1]\n')).toBeUndefined();
  });
});

test('what is still there is told', () => {
  expect(notGone('the bridges a, b')).toContain('there are still the bridges a, b; see the log');
});
