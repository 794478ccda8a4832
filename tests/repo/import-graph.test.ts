/** The code, the table of layers and the picture in docs/architecture.md say the same. */
import { describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { objectionTo, rowOf, targetOf } from '../../scripts/lint/imports.mjs';
import { rows } from '../../scripts/lint/layers.mjs';
import { arrows, arrowsOn } from '../../scripts/lint/picture.mjs';
import { repoFiles, repoRoot } from '../support/repo-files.ts';

const files = repoFiles('src').map((file) => path.relative('src', file));
const exists = (at: string): boolean => existsSync(path.join(repoRoot, 'src', at));

interface Import {
  readonly file: string;
  readonly specifier: string;
}

/** Every import, re-export, dynamic import and type import, as it is written. */
function importsOf(file: string): Import[] {
  const source = readFileSync(path.join(repoRoot, 'src', file), 'utf8');
  const found = source.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])([^'"\n]+)\1/g);
  return [...found].map(([, , specifier]) => ({ file, specifier: specifier! }));
}

const imports = files.flatMap(importsOf);
const relative = imports
  .filter(({ specifier }) => specifier.startsWith('.'))
  .map(({ file, specifier }) => ({ file, target: targetOf(file, specifier) }));

describe('the code', () => {
  test('has imports that this test sees', () => {
    expect(imports.length).toBeGreaterThan(files.length);
    expect(relative.filter(({ target }) => !exists(target))).toEqual([]);
  });

  test('imports only what the table allows', () => {
    const refused = imports.flatMap(({ file, specifier }) => {
      const objection = objectionTo(file, specifier);
      return objection === undefined ? [] : [`src/${file} imports ${specifier}. ${objection}`];
    });
    expect(refused).toEqual([]);
  });

  test('has no circle of folders: every arrow of the code runs down the table', () => {
    const height = (file: string) => rows.findIndex((row) => row === rowOf(file));
    const rising = relative.filter(({ file, target }) => height(target) > height(file));
    expect(rising).toEqual([]);
  });
});

describe('the table', () => {
  const folders = readdirSync(path.join(repoRoot, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.relative(path.join(repoRoot, 'src'), path.join(entry.parentPath, entry.name)));
  const filesOfSrc = files.filter((file) => !file.includes('/'));
  const names = rows.map(({ at }) => at);

  test('has a row for every folder of src and for every file directly in it', () => {
    expect([...folders, ...filesOfSrc].filter((at) => !names.includes(at))).toEqual([]);
  });

  test('has no row for what is not there, unless it says that it is planned', () => {
    expect(rows.filter(({ at, isPlanned }) => exists(at) === (isPlanned === true))).toEqual([]);
  });

  test('has arrows that run down only: a row names rows above it', () => {
    const rising = rows.flatMap(({ at, may }, index) => {
      const below = new Set(names.slice(0, index));
      return may
        .map((entry) => (entry.endsWith('/**') ? entry.slice(0, -3) : (rowOf(entry)?.at ?? entry)))
        .filter((entry) => !below.has(entry))
        .map((entry) => `${at} -> ${entry}`);
    });
    expect(rising).toEqual([]);
  });

  test('names files that there are', () => {
    const single = rows.flatMap(({ may }) => may).filter((entry) => entry.endsWith('.ts'));
    expect(single.filter((file) => !exists(file))).toEqual([]);
  });
});

test('docs/architecture.md has the picture of the table ("node scripts/lint/picture.mjs" prints it)', () => {
  const page = readFileSync(path.join(repoRoot, 'docs/architecture.md'), 'utf8');
  const inWords = (picture: ReadonlyMap<string, ReadonlySet<string>>) =>
    [...picture].map(([target, importers]) => `${target} <- ${[...importers].toSorted().join(', ')}`);
  expect(inWords(arrowsOn(page)).toSorted()).toEqual(inWords(arrows()).toSorted());
});
