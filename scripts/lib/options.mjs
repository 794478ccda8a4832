import path from 'node:path';
import { parseArgs } from 'node:util';

/**
 * The options that a script was called with. A wrong one is one sentence and exit code 2, before anything is touched.
 * @template {NonNullable<import('node:util').ParseArgsConfig['options']>} Options
 * @param {Options} options
 */
export function readOptions(options) {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    // What follows the first sentence is advice about positional arguments, which no script takes.
    const [sentence] = /** @type {Error} */ (error).message.split('. ');
    process.stderr.write(`${path.basename(process.argv[1] ?? '')}: ${sentence}\n`);
    process.exit(2);
  }
}
