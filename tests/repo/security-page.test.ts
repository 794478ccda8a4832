/** docs/security.md names a test for each attack: they are there, under these names. */
import { expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { repoRoot } from '../support/repo-files.ts';

const page = readFileSync(path.join(repoRoot, 'docs/security.md'), 'utf8');
const tables = page.slice(page.indexOf('\n## Attacks'));
const rows = tables
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\| *(?:attack|-+) *\|/.test(line))
  .map((line) => {
    const [attack = '', , last = ''] = line
      .split(/(?<!\\)\|/)
      .slice(1)
      .map((cell) => cell.trim());
    const [, file = '', title = ''] = /^`(tests\/[\w./-]+)` "(.+)"$/.exec(last) ?? [];
    return { attack, file, title };
  });

test('there is a row for each kind of attack', () => expect(rows.length).toBeGreaterThan(25));

test.each(rows)('$attack: the test is there', ({ file, title }) => {
  expect(file === '' ? 'no test is named' : file).toMatch(/\.test\.ts$/);
  const name = path.join(repoRoot, file);
  expect(existsSync(name) && readFileSync(name, 'utf8').includes(title) ? title : `not in ${file}`).toBe(
    title,
  );
});
