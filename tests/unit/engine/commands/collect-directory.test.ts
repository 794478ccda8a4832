import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { CollectDirectory, removeCollected } from '../../../../src/engine/commands/collect-directory.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const list = '.lab-collect.json';

test('a list of what was collected that is a link is not followed: nothing of it is removed', async () => {
  const directory = mkdtempSync(path.join(root, 'collect-'));
  writeFileSync(path.join(root, 'list'), '{"files": ["precious"]}');
  symlinkSync('../list', path.join(directory, list));
  writeFileSync(path.join(directory, 'precious'), 'mine');
  await removeCollected(directory);
  expect(existsSync(path.join(directory, 'precious'))).toBe(true);
});

test('a list that is a pipe does not keep collect waiting', async () => {
  const directory = mkdtempSync(path.join(root, 'collect-'));
  execFileSync('mkfifo', [path.join(directory, list)]);
  const collected = await CollectDirectory.prepare(directory, ['r1.cfg']);
  await collected.write('r1.cfg', 'text');
  await collected.remove();
  expect(existsSync(directory)).toBe(false);
});
