/** Why topologies are refused: their errors without what is particular to one file, counted. */
import { say } from '../lib/words.mjs';

/** An error without its place, its file and the names that the file gives. @param {string} line */
function causeOf(line) {
  return line
    .replace(/^Fatal error in lab create: /, '')
    .replace(/^\S+?:\d+:\d+: /, '')
    .replace(
      /^(?:(?:nodes|links|groups|prefix)(?:\.[^\s.:[]+)*(?:\[\d+\])?)(?=[.: ])/,
      (place) => `${place.split(/[.[]/)[0]}…`,
    )
    .replace(/; (?:install netlab|lab).*$/, '')
    .replace(/, not (?:".*"|\[.*|\{.*|-?\d.*)$/, '')
    .replace(/; did you mean .*$/, '');
}

/** The causes in what `create` printed, each once. @param {string} said */
export function causesOf(said) {
  const lines = said.split('\n').filter((line) => line !== '' && !/:\d+: warning: /.test(line));
  const isErrorList = lines.length > 1;
  const errors = isErrorList
    ? lines.filter((line) => !/^Fatal error .*; and .* more errors?$/.test(line))
    : lines;
  return [...new Set(errors.map(causeOf))];
}

/**
 * The table: how many topologies have a cause, and how many would be accepted without it alone.
 * @param {readonly (readonly string[])[]} refused the causes of each refused topology
 */
export function showCauses(refused) {
  /** @type {Map<string, { files: number, alone: number }>} */
  const counts = new Map();
  for (const causes of refused)
    for (const cause of causes) {
      const { files, alone } = counts.get(cause) ?? { files: 0, alone: 0 };
      counts.set(cause, { files: files + 1, alone: alone + (causes.length === 1 ? 1 : 0) });
    }
  if (counts.size === 0) return;
  say('\nfiles  alone  cause');
  const sorted = [...counts].toSorted(
    ([, one], [, other]) => other.files - one.files || other.alone - one.alone,
  );
  for (const [cause, { files, alone }] of sorted)
    say(`${String(files).padStart(5)}  ${String(alone).padStart(5)}  ${cause}`);
}
