#!/usr/bin/env node
// Prints the size of each room of the repository: files, lines, code and comments, and the words of the pages.
//   node scripts/size.mjs                the working tree
//   node scripts/size.mjs --base REV     what the working tree adds to each room since REV
//   node scripts/size.mjs --json         the same as JSON
// A room is a folder one level below src, web, tests, scripts or docs. Only files that git tracks count; data under
// tests/fixtures, package-lock.json and docs/openapi.json do not.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readOptions } from './lib/options.mjs';

/** @typedef {{ files: number, lines: number, code: number, comments: number, words: number }} Size */

const options = readOptions({ base: { type: 'string' }, json: { type: 'boolean', default: false } });
process.chdir(path.resolve(import.meta.dirname, '..'));

const tops = ['src', 'web', 'tests', 'scripts', 'docs'];
const generated = /^(?:package-lock\.json|docs\/openapi[^/]*\.json|tests\/fixtures\/.*)$/;
const source = /\.(?:ts|tsx|mjs|cjs|js|css|sh)$/;

/** @param {readonly string[]} args @param {string} [input] */
const git = (args, input) =>
  execFileSync('git', args, { maxBuffer: 1024 ** 3, ...(input !== undefined && { input }) });

/** @param {string} file */
function roomOf(file) {
  const [top = '', second = ''] = file.split('/');
  if (file.endsWith('.md') && (top === file || /^docs\/[^/]*$/.test(file))) return 'pages';
  if (!tops.includes(top) || file.split('/').length < 2) return undefined;
  return file.split('/').length === 2 ? `${top}/*` : `${top}/${second}`;
}

/** @param {string} text @param {boolean} isShell @returns {Pick<Size, 'lines' | 'code' | 'comments'>} */
function countLines(text, isShell) {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  let [code, comments, isInBlock] = [0, 0, false];
  const lineComment = isShell ? '#' : '//';
  for (const line of lines.map((each) => each.trim())) {
    if (line === '') continue;
    const begins = !isShell && line.startsWith('/*');
    if (isInBlock || begins || line.startsWith(lineComment)) comments += 1;
    else code += 1;
    if (isInBlock || begins) isInBlock = !line.includes('*/');
  }
  return { lines: lines.length, code, comments };
}

/** Reads files as they were at a revision, all with one run of git. @param {string} rev @param {readonly string[]} files */
function readAt(rev, files) {
  const output = git(['cat-file', '--batch'], files.map((file) => `${rev}:${file}\n`).join(''));
  let at = 0;
  return files.map((file) => {
    const headEnd = output.indexOf('\n', at);
    const length = Number(output.toString('utf8', at, headEnd).split(' ')[2]);
    const text = output.toString('utf8', headEnd + 1, headEnd + 1 + length);
    at = headEnd + 1 + length + 1;
    return /** @type {const} */ ([file, text]);
  });
}

/** @param {string | undefined} rev @returns {Map<string, string>} The text of each file that counts, by its path. */
function textsAt(rev) {
  const list = rev === undefined ? ['ls-files'] : ['ls-tree', '-r', '--name-only', rev];
  const files = git(list)
    .toString()
    .split('\n')
    .filter((file) => roomOf(file) !== undefined && !generated.test(file))
    .filter((file) => source.test(file) || file.endsWith('.md'));
  if (rev !== undefined) return new Map(readAt(rev, files));
  return new Map(files.filter((file) => existsSync(file)).map((file) => [file, readFileSync(file, 'utf8')]));
}

/** @param {ReadonlyMap<string, string>} texts @returns {Map<string, Size>} */
function sizesOf(texts) {
  /** @type {Map<string, Size>} */
  const rooms = new Map();
  for (const [file, text] of texts) {
    const isPage = file.endsWith('.md');
    const counted = isPage ? { lines: 0, code: 0, comments: 0 } : countLines(text, file.endsWith('.sh'));
    const words = isPage ? text.split(/\s+/).filter(Boolean).length : 0;
    const room = roomOf(file) ?? '';
    for (const name of isPage ? [room] : [room, `${file.split('/')[0]} in all`]) {
      const known = rooms.get(name) ?? { files: 0, lines: 0, code: 0, comments: 0, words: 0 };
      rooms.set(name, {
        files: known.files + 1,
        lines: known.lines + counted.lines,
        code: known.code + counted.code,
        comments: known.comments + counted.comments,
        words: known.words + words,
      });
    }
  }
  return new Map([...rooms].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** @param {number} value @param {number | undefined} before */
function cell(value, before) {
  const change = before === undefined ? 0 : value - before;
  return `${value}${change === 0 ? '' : ` (${change > 0 ? '+' : ''}${change})`}`;
}

const now = sizesOf(textsAt(undefined));
const before = options.base === undefined ? undefined : sizesOf(textsAt(options.base));
if (options.json) {
  process.stdout.write(`${JSON.stringify(Object.fromEntries(now), undefined, 2)}\n`);
} else {
  const none = { files: 0, lines: 0, code: 0, comments: 0, words: 0 };
  const rooms = [...new Set([...now.keys(), ...(before?.keys() ?? [])])].toSorted();
  process.stdout.write('| room | files | lines | code | comments | words |\n|---|---|---|---|---|---|\n');
  for (const room of rooms) {
    const size = now.get(room) ?? none;
    const old = before && (before.get(room) ?? none);
    const columns = /** @type {const} */ (['files', 'lines', 'code', 'comments', 'words']);
    const cells = columns.map((column) => cell(size[column], old?.[column]));
    process.stdout.write(`| ${room} | ${cells.join(' | ')} |\n`);
  }
}
