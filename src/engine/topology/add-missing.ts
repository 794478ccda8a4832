/** Copies missing entries from one map to another, for example from a group to its members. */
import { isMapping, type Mapping, type Source } from './source.ts';

/** Adds the entries that `target` does not have; maps in both are merged. */
export function addMissing(target: Mapping, added: Mapping, source: Source): void {
  for (const [key, value] of Object.entries(added)) {
    const own = target[key];
    const origin = { key: source.keyAt(added, key), value: source.valueAt(added, key) };
    if (isMapping(value) && (own === undefined || isMapping(own))) {
      const inner = own ?? source.mapping();
      if (own === undefined) source.put(target, key, inner, origin);
      addMissing(inner, value, source);
    } else if (!(key in target)) source.put(target, key, value, origin);
  }
}
