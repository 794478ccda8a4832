/** docs/from-clab-api-server.md names endpoints and actions of ours that exist, and has the table that its script makes. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { questions } from '../../scripts/compare-clab-api/sides.mjs';
import { repoRoot } from '../support/repo-files.ts';

const read = (...file: string[]): string => readFileSync(path.join(repoRoot, ...file), 'utf8');
const page = read('docs', 'from-clab-api-server.md');

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: { readonly Action: { readonly enum: readonly string[] } } };
}
const { paths, components } = JSON.parse(read('docs', 'openapi.json')) as Described;

/** The cells of the rows below a heading: theirs, ours, what is different. */
const rows = (page.split('## Every endpoint')[1] ?? '')
  .split('\n## ')[0]!
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (clab-api-server|---|\*\*)/.test(line))
  .map((line) => line.split(/(?<!\\)\|/).slice(1, -1));

test('every endpoint of ours that the page sets beside one of theirs is one', () => {
  const named = rows.flatMap(([, ours = '']) => [...ours.matchAll(/\b([A-Z]+) `(\/[^`]*)`/g)]);
  const unknown = named.filter(
    ([, method = '', target = '']) => !(method.toLowerCase() in (paths[target] ?? {})),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(unknown.map(([text]) => text)).toEqual([]);
});

test('every action that it names is one', () => {
  const named = [...page.matchAll(/\bjobs? `(\w+)`/g)].map(([, action = '']) => action);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((action) => !components.schemas.Action.enum.includes(action))).toEqual([]);
});

test('every row says what there is of it, or that there is nothing, and then why', () => {
  const empty = rows.filter(([, ours = '', why = '']) =>
    /no counterpart/.test(ours) ? why.trim() === '' : !/[A-Z]+ `\/|job `|the same/.test(ours),
  );
  expect(empty).toEqual([]);
});

test('no endpoint of theirs stands there twice', () => {
  const theirs = rows.flatMap(([cell = '']) => [...cell.matchAll(/\b[A-Z]+ `[^`]*`/g)].map(([text]) => text));
  expect(theirs.length).toBeGreaterThan(90);
  expect(theirs.filter((text, index) => theirs.indexOf(text) !== index)).toEqual([]);
});

test('the recorded table answers every question of scripts/compare-clab-api.mjs', () => {
  for (const question of Object.values(questions)) expect(page).toContain(`| ${question} `);
  expect(page).not.toContain('not given');
});
