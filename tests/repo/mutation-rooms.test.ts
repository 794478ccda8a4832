/** What `npm run mutation` tries, and by which tests: nothing is forgotten, and no name leads nowhere. */
import { expect, test } from '@jest/globals';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { judges } from '../../scripts/mutation/judges.mjs';
import { notTried, tried } from '../../scripts/mutation/rooms.mjs';
import { repoRoot } from '../support/repo-files.ts';

const foldersOf = (folder: string): string[] =>
  readdirSync(path.join(repoRoot, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${folder}/${name}`);

test('each folder of jobs, HTTP and labs is tried, or it is said why not', () => {
  const folders = ['src/jobs', 'src/http', 'src/labs'].flatMap(foldersOf);
  const named = [...tried, ...Object.keys(notTried)];
  expect(folders.filter((folder) => !named.includes(folder))).toEqual([]);
  expect(named.filter((folder) => !existsSync(path.join(repoRoot, folder)))).toEqual([]);
});

test.each(judges)('the judges of $of are there, and so is what they judge', ({ of, folder, tests }) => {
  const files = Object.keys(tests).map((name) => `${of}/${name}.ts`);
  const named = Object.values(tests)
    .flat()
    .map((name) => `${folder}/${name}.test.ts`);
  expect([...files, ...named].filter((file) => !existsSync(path.join(repoRoot, file)))).toEqual([]);
});
