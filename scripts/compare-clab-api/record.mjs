import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { must } from '../lib/words.mjs';
import { root } from '../lib/service.mjs';

const begin = '<!-- What follows is what scripts/compare-clab-api.mjs --record writes. -->';
const end = '<!-- The end of what scripts/compare-clab-api.mjs --record writes. -->';

/** Puts the table between its marks in the page. @param {string} table */
export async function record(table) {
  const filepath = path.join(root, 'docs', 'from-clab-api-server.md');
  const page = readFileSync(filepath, 'utf8');
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  must(from !== -1 && to > from, `${filepath} has no place for the table`);
  const renewed = `${page.slice(0, from)}${begin}\n\n${table}\n\n${page.slice(to)}`;
  writeFileSync(filepath, await format(renewed, { ...(await resolveConfig(filepath)), filepath }));
}
