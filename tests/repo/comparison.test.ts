/** docs/comparison.md has the tables that its scripts record, and they name the versions that were run. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { recordedIn } from '../../scripts/lib/recorded-part.mjs';
import { repoRoot } from '../support/repo-files.ts';

const page = readFileSync(path.join(repoRoot, 'docs', 'comparison.md'), 'utf8');

/** The cells of the table in a recorded part, without the line below its head. */
function tableOf(part: string): string[][] {
  const lines = part.split('\n').filter((line) => line.startsWith('|'));
  return lines
    .filter((line) => !/^[|\s-]+$/.test(line))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

describe.each([
  ['scripts/compare-netlab-api.mjs', ['lab-api', '`netlab api`'], 4],
  ['scripts/compare.mjs', ['lab-api', '`netlab api`', 'clab-api-server', 'gns3server'], 6],
] as const)('what %s has recorded', (script, servers, rowCount) => {
  const [head = [], ...rows] = tableOf(recordedIn(page, script));

  test('has a column with a version for each server', () => {
    expect(head.slice(1).map((cell) => cell.replace(/ \d+\.\d[\w.]*$/, ''))).toEqual(servers);
    expect(head.slice(1).filter((cell) => !/ \d+\.\d/.test(cell))).toEqual([]);
  });

  test('has an answer in each row', () => {
    expect(rows).toHaveLength(rowCount);
    expect(rows.filter((row) => row.length !== head.length || row[0] === '' || row[1] === '')).toEqual([]);
    expect(rows.flat().filter((cell) => /NaN|undefined/.test(cell))).toEqual([]);
  });
});

test('the figures say when and with what they were recorded', () => {
  expect(recordedIn(page, 'scripts/compare.mjs')).toMatch(
    /^Recorded on \d{4}-\d\d-\d\d with Node [\d.]+ on \d+/,
  );
});
