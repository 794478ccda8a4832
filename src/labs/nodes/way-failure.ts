import { stripVTControlCharacters } from 'node:util';
import { AppError } from '../../lib/app-error.ts';
import type { NodeProgramEnd } from './node-program.ts';

const maxLines = 10;

/** Words of a container engine, of `ip netns` and of the bundled engine for a node that has gone since the status was asked for. */
const saysGone =
  /no such container|is not running|is missing: its namespace|cannot open network namespace|unknown lab instance/i;

/** The error for a node that was not reached. */
export function wayFailure(node: string, { words }: NodeProgramEnd): AppError {
  const output = stripVTControlCharacters(words)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(-maxLines);
  const last = output.at(-1) ?? 'nothing was said of it';
  if (saysGone.test(words)) return new AppError('lab-not-up', `${node} is not up: ${last}`);
  return new AppError('lab-cli-failed', `${node} was not reached: ${last}`, { extra: { output } });
}
