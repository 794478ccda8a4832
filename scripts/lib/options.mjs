import path from 'node:path';
import { parseArgs } from 'node:util';

/** @typedef {NonNullable<import('node:util').ParseArgsConfig['options']>} OptionSet */

/**
 * The options and the other words that a script was called with. A wrong one is one sentence and exit code 2, before
 * anything is touched.
 * @template {OptionSet} Options
 * @param {Options} options
 * @param {boolean} [allowPositionals]
 */
export function readArguments(options, allowPositionals = true) {
  try {
    return parseArgs({ options, allowPositionals });
  } catch (error) {
    // What follows the first sentence is advice about positional arguments.
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
