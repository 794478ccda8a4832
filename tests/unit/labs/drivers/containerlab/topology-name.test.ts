import { expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { instanceOf, topologyFiles } from '../../../../../src/labs/drivers/containerlab/topology-files.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();

test.each([
  ['lines of Windows', 'name: dc1\r\ntopology: {}\r\n', 'dc1'],
  ['a mark before the first line', '\uFEFFname: dc1\n', 'dc1'],
  ['a line that is none in YAML', '# dc\u2028name: dc1\nname: dc2\n', 'dc2'],
  ['a mark in a word that is no comment', 'name: dc1#2\n', null],
  // An expression that has a choice takes minutes for it.
  ['a line of blanks', `name: a${' '.repeat(500_000)}b\n`, null],
])('the name of a lab: %s', async (_what, topologyText, name) => {
  expect(await instanceOf({ options: {}, topologyText })).toBe(name);
});

test('a directory that only looks like that of a lab names none', async () => {
  const workdir = mkdtempSync(path.join(root, 'lab-'));
  mkdirSync(path.join(workdir, 'clab-'));
  expect(await topologyFiles.labOf?.(workdir)).toBeUndefined();
});
