/** Writes tables of pages of documentation. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from './service.mjs';

/** As code in Markdown. @param {string} text */
export const code = (text) => `\`${text}\``;

/**
 * Puts a table in the place of the one that begins with the same heading.
 *
 * @param {string} name of the page in docs
 * @param {readonly string[]} headings of the columns
 * @param {readonly (readonly string[])[]} rows
 */
export async function writeTable(name, headings, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`;
  const table = [headings, headings.map(() => '---'), ...rows].map(line).join('\n');
  const page = path.join(root, 'docs', name);
  const first = new RegExp(`^\\| ${headings[0]} .*\\n(\\|.*\\n)+`, 'm');
  const text = readFileSync(page, 'utf8').replace(first, () => `${table}\n`);
  writeFileSync(page, await format(text, { ...(await resolveConfig(page)), parser: 'markdown' }));
}
