import { isMapping } from '../../../lib/mapping.ts';

/** netlab reads `defaults.multilab.id: 3` and `defaults: {multilab: {id: 3}}` alike, and every mixture (Box with dots). */
export function dotted(value: unknown, keys: readonly string[]): unknown {
  if (keys.length === 0) return value;
  if (!isMapping(value)) return undefined;
  for (let length = keys.length; length > 0; length -= 1) {
    const key = keys.slice(0, length).join('.');
    const found = Object.hasOwn(value, key) ? dotted(value[key], keys.slice(length)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
