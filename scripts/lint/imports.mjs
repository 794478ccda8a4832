/** Judges an import by the table in layers.mjs. Paths are those below src, with slashes. */
import path from 'node:path/posix';
import { rows } from './layers.mjs';
import { packages } from './packages.mjs';

/** The row of a file: its own, or that of its folder. @param {string} file */
export function rowOf(file) {
  return rows.find(({ at }) => at === file) ?? rows.find(({ at }) => at === path.dirname(file));
}

/** Whether `where` is what an entry of the table names: a file, a row, or all in a folder. @param {string} file */
function isNamed(file, /** @type {readonly string[]} */ entries) {
  const at = rowOf(file)?.at;
  return entries.some((entry) =>
    entry.endsWith('/**') ? file.startsWith(entry.slice(0, -2)) : entry === at || entry === file,
  );
}

/**
 * The file below src that a relative import leads to; `../…` when it leads out of src.
 * @param {string} file
 * @param {string} specifier
 */
export const targetOf = (file, specifier) => path.join(path.dirname(file), specifier);

/** @param {string} file @param {string} target @returns {string | undefined} */
function objectionToFile(file, target) {
  if (target.startsWith('../'))
    return 'Product code never imports tests, or anything else outside src: move what both need into src/lib.';
  const [row, other] = [rowOf(file), rowOf(target)];
  if (row === undefined) return `src/${file} has no row in scripts/lint/layers.mjs: add one for its folder.`;
  return other === row || isNamed(target, row.may) ? undefined : row.instead;
}

/** @param {string} file @param {string} name @returns {string | undefined} */
function objectionToPackage(file, name) {
  const rule = packages.find((each) => each.name.test(name));
  if (rule !== undefined) return isNamed(file, rule.only) ? undefined : rule.instead;
  const row = rowOf(file);
  return row !== undefined &&
    row.at.startsWith('lib') &&
    row.at !== 'lib/archives' &&
    !name.startsWith('node:')
    ? row.instead
    : undefined;
}

/**
 * What the reader should do instead of this import; undefined when it is allowed.
 * @param {string} file the one that imports
 * @param {string} specifier as it is written
 */
export function objectionTo(file, specifier) {
  return specifier.startsWith('.')
    ? objectionToFile(file, targetOf(file, specifier))
    : objectionToPackage(file, specifier);
}
