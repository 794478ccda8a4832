/** The table of `npm run mutation` names rooms and tests that exist. */
import { expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { otherTests } from '../../scripts/mutation/rooms.mjs';
import { repoRoot } from '../support/repo-files.ts';

test('the rooms and their tests exist', () => {
  const named = [...Object.keys(otherTests), ...Object.values(otherTests).flat()];
  expect(named.filter((file) => !existsSync(path.join(repoRoot, file)))).toEqual([]);
});
