/** What a browser loads before it shows the first page: little, and nothing that only some pages need. */
import { describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { repoRoot } from '../support/repo-files.ts';

const built = path.join(repoRoot, 'dist/dashboard');
const assets = path.join(built, 'assets');

/** In bytes, as it comes to a browser that decompresses gzip. */
const mostBytes = 250_000;

const html = readFileSync(path.join(built, 'index.html'), 'utf8');

/** The text of a file of the page, of which the build keeps the packed ones only when it is worth it. */
function textOf(file: string): string {
  const packed = path.join(assets, `${file}.gz`);
  if (!existsSync(packed)) return readFileSync(path.join(assets, file), 'utf8');
  return gunzipSync(readFileSync(packed)).toString('utf8');
}

/** The files that these import at once (`import … from`), and what those import; not what is imported when it is needed. */
function withImports(files: readonly string[]): string[] {
  const found = new Set<string>();
  const add = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    if (!file.endsWith('.js')) return;
    for (const [, next = ''] of textOf(file).matchAll(/(?:\bfrom|\bimport)\s*["'`]\.\/([\w.-]+)["'`]/g))
      add(next);
  };
  files.forEach(add);
  return [...found];
}

const atOnce = withImports(
  [...html.matchAll(/(?:src|href)="\.\/assets\/([\w.-]+)"/g)].map(([, file = '']) => file),
);
const entry = atOnce.find((file) => /^index-.*\.js$/.test(file)) ?? '';
/** Styles of a chunk are loaded with it: the entry names both. */
const ofLabs = [...textOf(entry).matchAll(/labs-page-[\w-]+\.(?:js|css)/g)].map(([file]) => file);
const first = withImports([...atOnce, ...ofLabs]);

/** Styles without a component. */
const withoutComponent = ['baseline.css', 'default-css-variables.css', 'global.css'];

const weightOf = (file: string): number => {
  const packed = path.join(assets, `${file}.gz`);
  return statSync(existsSync(packed) ? packed : path.join(assets, file)).size;
};

describe('the first load', () => {
  test(`weighs ${mostBytes / 1000} kB at most`, () => {
    expect(entry).not.toBe('');
    expect(ofLabs).not.toEqual([]);
    const weights = Object.fromEntries(first.map((file) => [file, weightOf(file)]));
    const total = Object.values(weights).reduce((sum, each) => sum + each, 0);
    // Both are shown when it is too much: what it is, and of which files.
    expect(total > mostBytes ? { total, ...weights } : 'little enough').toBe('little enough');
    expect(total).toBeGreaterThan(50_000);
  });

  /** A word that stays in each of them, however small their names are made. */
  test.each([
    ['the terminal (xterm.js)', /xterm-(?:screen|viewport|helper)/],
    ['the editor (CodeMirror)', /cm-(?:editor|content|gutters)/],
    ['the layout (elk)', /org\.eclipse\.elk|elk\.layered/],
    ['the picture (React Flow)', /react-flow__/],
    ['the search (Ctrl K)', /Nothing of that name/],
  ])('has nothing of %s', (_what, word) => {
    expect(first.filter((file) => word.test(textOf(file)))).toEqual([]);
  });

  test('is whole: each file that it names is there, packed', () => {
    const isThere = (file: string): boolean => existsSync(path.join(assets, file));
    const missing = first.filter((file) => !isThere(file) && !isThere(`${file}.gz`));
    expect(missing).toEqual([]);
    const loose = first.filter((file) => isThere(file) && statSync(path.join(assets, file)).size >= 1024);
    expect(loose).toEqual([]);
  });
});

test('the page is the one for people, with nothing of the machine that built it, whoever builds it', () => {
  const programs = readdirSync(assets).filter((file) => file.endsWith('.js.gz'));
  const found = programs.filter((file) => /jsxDEV|fileName:["'`]?\//.test(textOf(file.replace(/\.gz$/, ''))));
  expect(programs).not.toEqual([]);
  expect(found).toEqual([]);
});

test('mantine.css has the styles of each component of the page, and of no other', () => {
  const classesIn = (text: string): Set<string> => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g));
  const programs = readdirSync(assets).filter((file) => /\.js(?:\.gz)?$/.test(file));
  const used = classesIn(programs.map((file) => textOf(file.replace(/\.gz$/, ''))).join('\n'));
  const styles = path.join(repoRoot, 'node_modules/@mantine/core/styles');
  const components = readdirSync(styles).filter((file) => !file.includes('.layer.'));
  const needed = components.filter((file) =>
    [...classesIn(readFileSync(path.join(styles, file), 'utf8'))].some((name) => used.has(name)),
  );
  const list = readFileSync(path.join(repoRoot, 'web/dashboard/src/mantine.css'), 'utf8');
  const imported = [...list.matchAll(/core\/styles\/([\w-]+\.css)/g)].map(([, file]) => file);
  expect(needed.length).toBeGreaterThan(30);
  expect(new Set(imported)).toEqual(new Set([...needed, ...withoutComponent]));
});

test('no file of the page loads anything from another host', () => {
  const programs = readdirSync(assets)
    .filter((file) => /\.(?:js|css)(?:\.gz)?$/.test(file))
    .map((file) => file.replace(/\.gz$/, ''));
  const found = programs.filter((file) =>
    /(?:\burl\(|\bimport\(|\bfrom\s*|src=)\s*["'`]?https?:\/\//.test(textOf(file)),
  );
  expect(found).toEqual([]);
});
