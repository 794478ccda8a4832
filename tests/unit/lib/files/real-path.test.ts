import { expect, test } from '@jest/globals';
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { realPlaceOf } from '../../../../src/lib/files/real-path.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = realpathSync(temporaryDirectory());
const at = (...names: readonly string[]): string => path.join(root, ...names);
mkdirSync(at('real'));
symlinkSync('real', at('link'));
symlinkSync('../real/late', at('real', 'dangling'));
symlinkSync('loop', at('loop'));

test.each([
  ['a file that is there', at('link'), at('real')],
  ['a file in a linked directory', at('link', 'new', 'file.tar'), at('real', 'new', 'file.tar')],
  ['a link to a file that is absent', at('link', 'dangling'), at('real', 'late')],
  ['a link to itself', at('loop'), at('loop')],
  ['a path that is too long', `/${'a/'.repeat(3_000)}`, `/${'a/'.repeat(3_000)}`.slice(0, -1)],
])('the place of %s has no links on the way', (_what, file, place) => {
  expect(realPlaceOf(file)).toBe(place);
});
