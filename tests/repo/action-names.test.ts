/** What is special about an action stands in the table of actions, so that a new one is a new entry there. */
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { actions } from '../../src/labs/model/actions.ts';
import { repoFiles, repoRoot } from '../support/repo-files.ts';

const comparison = new RegExp(`(?:[!=]==|case|includes\\() ?'(?:${actions.join('|')})'`);

test('nobody but a driver asks for an action by its name', () => {
  const files = repoFiles('src').filter((file) => /^src\/(?:jobs|labs|http|cli)\//.test(file));
  const guilty = files.filter((file) => comparison.test(readFileSync(path.join(repoRoot, file), 'utf8')));
  // What netlab asks on the terminal depends on its command.
  const allowed = ['netlab-language/error-sentence.ts'];
  expect(guilty).toEqual(allowed.map((file) => path.join('src', 'labs', 'drivers', ...file.split('/'))));
});
