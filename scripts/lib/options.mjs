import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

/** @typedef {NonNullable<import('node:util').ParseArgsConfig['options']>} OptionSet */

/** The comment at the head of a script says what it does and what it takes. */
function printHelp() {
  const [, ...lines] = readFileSync(process.argv[1] ?? '', 'utf8').split('\n');
  const end = lines.findIndex((line) => !/^(\/\/|\/?\*| \*)/.test(line));
  const text = lines.slice(0, end).map((line) => line.replace(/^(\/\/|\/\*\*| \*\/| \*) ?/, ''));
  process.stdout.write(`${text.join('\n').trim()}\n`);
}

/**
 * The options and the other words that a script was called with. A wrong one is one sentence and exit code 2, before
 * anything is touched.
 * @template {OptionSet} Options
 * @param {Options} options
 * @param {boolean} [allowPositionals]
 */
export function readArguments(options, allowPositionals = true) {
  if (process.argv[2] === '--help') {
    printHelp();
    process.exit(0);
  }
  try {
    return parseArgs({ options, allowPositionals });
  } catch (error) {
    // Node adds advice about positional arguments to the first sentence.
    const [sentence] = /** @type {Error} */ (error).message.split('. ');
    process.stderr.write(`${path.basename(process.argv[1] ?? '')}: ${sentence}\n`);
    process.exit(2);
  }
}

/**
 * The options of a script that takes nothing else.
 * @template {OptionSet} Options
 * @param {Options} options
 */
export function readOptions(options) {
  return readArguments(options, false).values;
}
