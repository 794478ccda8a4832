#!/usr/bin/env node
// Finds sentences that have to be read twice, in comments, in strings and in the pages.
//   node scripts/plain-english.mjs              fails where a room has more of them than .plain-english.json allows
//   node scripts/plain-english.mjs --list PATH  prints each of them in the files whose path begins with PATH
//   node scripts/plain-english.mjs --write      lowers the numbers in .plain-english.json to those of today
// The numbers only go down. A better sentence has a subject, a verb and an object, and the usual technical noun.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readOptions } from './lib/options.mjs';

/** Patterns of such sentences, each with the advice that goes with it. */
const patterns = [
  {
    pattern: /(?:^|[.!:] )(?:What|Who|Whose|Whom)\b(?![^.]*\?)|\b[Ww]hom?ever\b/,
    advice: 'name the subject instead of "what …", "who …", "whoever …"',
  },
  {
    pattern: /\bof which\b|(?:^|[.!:] )(?:That|Those) of\b/,
    advice: 'repeat the noun instead of "of which …", "that of …"',
  },
  {
    pattern: /\b(?:nobody|somebody|everybody|anybody)\b/i,
    advice: 'name the role (user, client, administrator), or say "none", "unknown"',
  },
  {
    pattern: /\b(?:is|are|was|were|be|been|being) (?:told|seen|looked at|given away)\b/,
    advice: 'use report, return, read, check or reveal, in the active voice',
  },
  { pattern: /\b(?:he|him|his|himself)\b/, advice: 'use the noun, or they' },
];

const options = readOptions({ list: { type: 'string' }, write: { type: 'boolean', default: false } });
process.chdir(path.resolve(import.meta.dirname, '..'));
const budgetFile = '.plain-english.json';

/** @param {string} file */
function roomOf(file) {
  const [top = '', second = ''] = file.split('/');
  if (file.endsWith('.md')) return 'pages';
  return file.split('/').length < 3 ? top : `${top}/${second}`;
}

const isPage = /^(?:[A-Z]+|docs\/[^/]+|examples\/.*)\.md$/;
const isSource = /^(?:src|web|scripts|tests)\/.*\.(?:ts|tsx|mjs|cjs)$/;
const isLeftOut = /^(?:CHANGELOG\.md|LICENSE|scripts\/plain-english\.mjs|tests\/fixtures\/.*)$/;

/** The prose of a line of source: a comment, or strings of several words. @param {string} line */
function proseOf(line) {
  const comment = /^\s*(?:\/\*\*?|\*|\/\/)\s?(.*?)(?:\*\/)?$/.exec(line)?.[1];
  if (comment !== undefined) return [comment.trim()];
  const strings = [...line.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`/g)];
  return strings.map(([, a, b, c]) => a ?? b ?? c ?? '').filter((text) => text.split(' ').length > 2);
}

/** @param {string} file @returns {readonly { line: number, text: string }[]} */
function sentencesOf(file) {
  let isCode = false;
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      if (!file.endsWith('.md')) return proseOf(line).map((text) => ({ line: index + 1, text }));
      if (line.startsWith('```')) isCode = !isCode;
      return isCode ? [] : [{ line: index + 1, text: line.replace(/^[\s>*|-]+/, '') }];
    });
}

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => (isPage.test(file) || isSource.test(file)) && !isLeftOut.test(file) && existsSync(file));
const found = files.flatMap((file) =>
  sentencesOf(file).flatMap(({ line, text }) =>
    patterns
      .filter(({ pattern }) => pattern.test(text))
      .map(({ advice }) => ({ file, room: roomOf(file), place: `${file}:${line}`, text, advice })),
  ),
);
/** @type {Map<string, number>} */
const counts = new Map();
for (const { room } of found) counts.set(room, (counts.get(room) ?? 0) + 1);

/** @type {Record<string, number>} */
const allowed = JSON.parse(readFileSync(budgetFile, 'utf8'));
const { list } = options;
if (options.write) {
  const rooms = [...counts.keys()].toSorted((a, b) => (a < b ? -1 : 1));
  const lower = rooms.map((room) => {
    const count = counts.get(room) ?? 0;
    return [room, Math.min(count, allowed[room] ?? count)];
  });
  writeFileSync(budgetFile, `${JSON.stringify(Object.fromEntries(lower), undefined, 2)}\n`);
} else if (list !== undefined) {
  for (const { place, text, advice } of found.filter(({ file }) => file.startsWith(list)))
    process.stdout.write(`${place}: ${text}\n  ${advice}\n`);
} else {
  const over = [...counts].filter(([room, count]) => count > (allowed[room] ?? 0));
  for (const [room, count] of over) {
    const where = room === 'pages' ? 'docs' : room;
    process.stderr.write(
      `plain-english: ${room} has ${count} sentences to rewrite, and ${allowed[room] ?? 0} are allowed: node scripts/plain-english.mjs --list ${where}\n`,
    );
  }
  if (over.length > 0) process.exitCode = 1;
}
