import { expect, test } from '@jest/globals';
import { chownSync, linkSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { giveTree } from '../../../../src/labs/workspaces/give-away.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const isRoot = process.getuid?.() === 0;
const it = isRoot ? test : test.skip;
const root = temporaryDirectory();
const at = (name: string): string => path.join(root, name);

it(`all of a tree is given away, and nothing that a link leads to${isRoot ? '' : ' (skipped: needs root)'}`, async () => {
  for (const name of ['outside', 'outside/below', 'tree', 'tree/below']) mkdirSync(at(name));
  for (const name of ['outside/file', 'outside/below/file', 'tree/file', 'tree/below/file'])
    writeFileSync(at(name), '');
  symlinkSync(at('outside'), at('tree/to-directory'));
  symlinkSync(at('outside/file'), at('tree/below/to-file'));
  chownSync(at('outside/file'), 0, 0);
  linkSync(at('tree/file'), at('tree/second-name'));
  await giveTree(at('tree'), { uid: 64_321, gid: 64_322 });
  const given = [
    'tree',
    'tree/below',
    'tree/file',
    'tree/below/file',
    'tree/to-directory',
    'tree/below/to-file',
  ];
  for (const name of given) expect(lstatSync(at(name))).toMatchObject({ uid: 64_321, gid: 64_322 });
  for (const name of ['outside', 'outside/below', 'outside/file', 'outside/below/file'])
    expect(lstatSync(at(name))).toMatchObject({ uid: 0 });
});
