/** The values of fields in the attributes of a node, a link or an end. */
import { isMapping, type Mapping } from '../../../../../../src/engine/topology/source.ts';
import type { Keys } from '../../../parts/drawing/drawing.ts';
import type { FormField } from './form-fields.ts';
import type { Parsed } from './text-forms.ts';

/** The modules in the own entry of a node. */
export function modulesOf({ module }: Mapping): readonly string[] | undefined {
  if (module === undefined || module === null) return [];
  if (typeof module === 'string') return [module];
  return Array.isArray(module) && module.every((one) => typeof one === 'string') ? module : undefined;
}

function hidden(key: string, value: unknown, shown: readonly FormField[]): readonly string[] {
  const own = shown.filter(({ keys }) => keys[0] === key);
  const whole = own.find(({ keys }) => keys.length === 1);
  const below = whole === undefined ? own.map(({ keys }) => keys[1]) : whole.parts;
  if (own.length === 0) return [key];
  if (below === undefined || !isMapping(value)) return whole === undefined ? [key] : [];
  return Object.keys(value)
    .filter((inner) => !below.includes(inner))
    .map((inner) => `${key}.${inner}`);
}

/** The attributes that no field shows, such as `clab` and `bgp.community`. */
export function otherKeys(attributes: Mapping, shown: readonly FormField[]): readonly string[] {
  return Object.entries(attributes).flatMap(([key, value]) => hidden(key, value, shown));
}

/** Clears a field: of a map, only the entries that the field shows. */
export function cleared({ parts = [] }: FormField, value: unknown): Parsed {
  const kept = isMapping(value) ? Object.entries(value).filter(([key]) => !parts.includes(key)) : [];
  return { kind: 'value', value: kept.length > 0 ? Object.fromEntries(kept) : undefined };
}

/** The smallest change that makes `before` the wanted value: of a map with one other entry, only that entry. */
export function smallestChange(
  keys: Keys,
  before: unknown,
  wanted: unknown,
): { readonly keys: Keys; readonly value: unknown } {
  if (!isMapping(before) || !isMapping(wanted)) return { keys, value: wanted };
  const all = new Set([...Object.keys(before), ...Object.keys(wanted)]);
  const [changed, ...more] = [...all].filter((key) => before[key] !== wanted[key]);
  return changed === undefined || more.length > 0
    ? { keys, value: wanted }
    : smallestChange([...keys, changed], before[changed], wanted[changed]);
}
