/** The part of a page of documentation that a script writes with --record. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './service.mjs';
import { must } from './words.mjs';

/** The comments before and behind it. @param {string} script such as scripts/compare.mjs */
const marksOf = (script) => [
  `<!-- What follows is what ${script} --record writes. -->`,
  `<!-- The end of what ${script} --record writes. -->`,
];

/**
 * Where the text between the marks begins and ends in the page.
 * @param {string} page
 * @param {string} script
 */
function placeIn(page, script) {
  const [begin = '', end = ''] = marksOf(script);
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  must(from !== -1 && to > from, `the page has no place for what ${script} records`);
  return { from: from + begin.length, to };
}

/** The text that a script has recorded in a page. @param {string} page @param {string} script */
export function recordedIn(page, script) {
  const { from, to } = placeIn(page, script);
  return page.slice(from, to).trim();
}

/**
 * Puts a text in the place of what the script has recorded before.
 * @param {string} name of the page below docs
 * @param {string} script
 * @param {string} text
 */
export async function record(name, script, text) {
  const filepath = path.join(root, 'docs', name);
  const page = readFileSync(filepath, 'utf8');
  const { from, to } = placeIn(page, script);
  // Not at once: tests read this file, and cannot load prettier.
  const { format, resolveConfig } = await import('prettier');
  const renewed = `${page.slice(0, from)}\n\n${text}\n\n${page.slice(to)}`;
  writeFileSync(filepath, await format(renewed, { ...(await resolveConfig(filepath)), filepath }));
}
