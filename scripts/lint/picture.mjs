/**
 * The table of layers as docs/architecture.md shows it, in a block that begins with "```text layers". A line
 * `jobs/model <- jobs/store, jobs/log` says that store and log may import model; `jobs/**` stands for jobs and all folders
 * in it, `**` for all folders. The files of src itself join the parts and are left out. `node scripts/lint/picture.mjs`
 * prints it; a test compares the page with the table.
 */
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { rows } from './layers.mjs';

const isOfSrc = (/** @type {string} */ at) => !at.includes('/') && at.endsWith('.ts');
const there = rows.filter(({ at, isPlanned }) => !isPlanned && !isOfSrc(at));

/** The rows that an entry stands for, without the one that the line is about. @param {string} entry @param {string} [but] */
function expand(entry, but) {
  if (entry !== '**' && !entry.endsWith('/**')) return [entry];
  const folder = entry.slice(0, -3);
  const inside = there.filter(({ at }) => entry === '**' || at === folder || at.startsWith(`${folder}/`));
  return inside.map(({ at }) => at).filter((at) => at !== but);
}

/** What is imported, and the rows that may import it. @returns {Map<string, Set<string>>} */
export function arrows() {
  /** @type {Map<string, Set<string>>} */
  const found = new Map(there.map(({ at }) => [at, new Set()]));
  const planned = new Set(rows.filter(({ isPlanned }) => isPlanned).map(({ at }) => at));
  for (const { at, may } of there)
    for (const target of may.flatMap((entry) => expand(entry))) {
      if (!planned.has(target) && !isOfSrc(target))
        found.set(target, (found.get(target) ?? new Set()).add(at));
    }
  return new Map([...found].filter(([, importers]) => importers.size > 0));
}

/** What the block of a page says, in the form of `arrows`. @param {string} page @returns {Map<string, Set<string>>} */
export function arrowsOn(page) {
  const block = /^```text layers\n(.*?)^```$/ms.exec(page)?.[1] ?? '';
  const lines = block.split('\n').filter((line) => line.includes(' <- '));
  return new Map(
    lines.map((line) => {
      const [target = '', importers = ''] = line.split(' <- ').map((part) => part.trim());
      return [target, new Set(importers.split(/,\s*/).flatMap((entry) => expand(entry, target)))];
    }),
  );
}

/** @param {string} target @param {ReadonlySet<string>} importers */
function inShort(target, importers) {
  const folders = new Set(there.map(({ at }) => at.split('/')[0]));
  let rest = [...importers];
  for (const entry of ['**', ...[...folders].map((folder) => `${folder}/**`)]) {
    const all = expand(entry, target);
    if (all.length < 2 || !all.every((at) => rest.includes(at))) continue;
    rest = [entry, ...rest.filter((at) => !all.includes(at))];
  }
  return rest;
}

if (argv[1] === fileURLToPath(import.meta.url))
  for (const [target, importers] of arrows())
    process.stdout.write(`${target} <- ${inShort(target, importers).join(', ')}\n`);
