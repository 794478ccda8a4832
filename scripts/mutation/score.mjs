import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** @typedef {Awaited<ReturnType<import('@stryker-mutator/core').Stryker['runMutationTest']>>[number]} Result */
/** @typedef {ReturnType<typeof scoreOf> & { name: string }} Score */

const noticedBy = new Set(['Killed', 'Timeout']);
const unnoticedBy = new Set(['Survived', 'NoCoverage']);

/**
 * A change that makes the tests hang is noticed; one that was left out, or is no valid program, does not count.
 * @param {readonly Result[]} results
 */
export function scoreOf(results) {
  const noticed = results.filter(({ status }) => noticedBy.has(status)).length;
  const unnoticed = results.filter(({ status }) => unnoticedBy.has(status)).length;
  return { tried: noticed + unnoticed, noticed };
}

/**
 * @param {string} name
 * @param {readonly Score[]} scores
 * @returns {Score}
 */
export function sumOf(name, scores) {
  return scores.reduce(
    (sum, { tried, noticed }) => ({ name, tried: sum.tried + tried, noticed: sum.noticed + noticed }),
    { name, tried: 0, noticed: 0 },
  );
}

/** @param {{ tried: number, noticed: number }} score */
const percent = ({ tried, noticed }) => (tried === 0 ? '-' : ((100 * noticed) / tried).toFixed(1));

/** @param {readonly Score[]} scores */
export function markdown(scores) {
  const rows = scores.map(
    (score) => `| \`${score.name}\` | ${score.tried} | ${score.noticed} | ${percent(score)} |`,
  );
  return `${['| folder | tried | noticed | % |', '| --- | ---: | ---: | ---: |', ...rows].join('\n')}\n`;
}

/**
 * What nobody noticed, or was left out, is tried the next time: a new test may see it, which StrykerJS does not always
 * know. Of what runs when a file is loaded, for one, it keeps no account.
 * @param {string} incrementalFile
 */
export function forgetUnnoticed(incrementalFile) {
  if (!existsSync(incrementalFile)) return;
  /** @type {{ files: Record<string, { mutants: { status: string }[] }> }} */
  const known = JSON.parse(readFileSync(incrementalFile, 'utf8'));
  for (const file of Object.values(known.files))
    file.mutants = file.mutants.filter(({ status }) => noticedBy.has(status));
  writeFileSync(incrementalFile, JSON.stringify(known));
}

/**
 * A line per change that no test noticed: where, whether a test ran it at all, and what stood there before and after.
 * @param {string} root
 * @param {readonly Result[]} results
 */
export function survivors(root, results) {
  const lines = results
    .filter(({ status }) => unnoticedBy.has(status))
    .map(({ fileName, location: { start, end }, status, mutatorName, replacement }) => {
      const code = readFileSync(path.resolve(root, fileName), 'utf8')
        .split('\n')
        .slice(start.line - 1, end.line);
      const last = (code.at(-1) ?? '').slice(0, end.column - 1);
      const before = [...code.slice(0, -1), last].join('\n').slice(start.column - 1);
      const words = [before, replacement ?? ''].map((text) => text.replace(/\s+/g, ' ').slice(0, 120));
      const untested = status === 'NoCoverage' ? ' (not run)' : '';
      const place = `${path.relative(root, fileName)}:${start.line}:${start.column}`;
      return `${place} ${mutatorName}${untested}: ${words.join('  =>  ')}\n`;
    });
  return lines.join('');
}
