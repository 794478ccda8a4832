import { stripVTControlCharacters } from 'node:util';
import { parseJson } from '../../system/foreign-file.ts';

/**
 * The document that `netlab inspect --format json` has printed. Warnings may stand before it, such as `[WARN] …` for a topology
 * that was changed since. @throws Error when there is none.
 */
export function inspected(output: Buffer): unknown {
  const text = stripVTControlCharacters(output.toString('utf8'));
  const start = text.search(/^(?:\{|\[\s*["\]])/m);
  return parseJson(Buffer.from(text.slice(Math.max(0, start))));
}
