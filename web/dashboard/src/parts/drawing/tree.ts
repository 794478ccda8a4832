/** The same operations on values: an edit of the text is right when its text has these values. */
import { isMapping, type Mapping } from '../../../../../src/engine/topology/source.ts';
import type { Operation } from './operation.ts';
import type { Path, YamlText } from './yaml-text.ts';

type Container = unknown[] | Mapping;

/** Without prototype, where `__proto__` is an ordinary key. */
const mapping = (entries: readonly (readonly [string, unknown])[] = []): Mapping =>
  Object.assign(Object.create(null) as Mapping, Object.fromEntries(entries));

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(copyOf);
  if (!isMapping(value)) return value;
  return mapping(Object.entries(value).map(([key, inner]) => [key, copyOf(inner)]));
}

const isContainer = (value: unknown): value is Container => Array.isArray(value) || isMapping(value);

/** The container at `path`; missing ones are made. */
function containerAt(tree: Container, path: Path, last: () => Container): Container {
  let at = tree as Mapping;
  for (const [nr, key] of path.entries()) {
    if (!isContainer(at[key])) at[key] = nr === path.length - 1 ? last() : mapping();
    at = at[key] as Mapping;
  }
  return at;
}

const mapAt = (tree: Container, path: Path): Mapping => containerAt(tree, path, mapping) as Mapping;

/** An entry with another key stays where it is. */
function rename(map: Mapping, key: string, to: string): void {
  const entries = Object.entries(map).map(([one, value]) => [one === key ? to : one, value] as const);
  for (const one of Object.keys(map)) delete map[one];
  Object.assign(map, Object.fromEntries(entries));
}

const gone = Symbol('gone');

/** The indexes of other operations stay right until all are done. `width` keys make one key with dots. */
function remove(tree: Mapping, path: Path, width: number): void {
  for (let length = path.length; length > path.length - width; length -= 1) {
    const parent = mapAt(tree, path.slice(0, length - 1));
    const key = path[length - 1] ?? '';
    const value = parent[key];
    const isLast =
      length === path.length || (isMapping(value) && Object.values(value).every((one) => one === gone));
    if (isLast) parent[key] = gone;
  }
}

function perform(tree: Mapping, operation: Operation, yaml: YamlText): void {
  const { kind, path } = operation;
  const [parent, key] = [path.slice(0, -1), path.at(-1) ?? ''];
  if (kind === 'put') mapAt(tree, parent)[key] = copyOf(operation.value);
  else if (kind === 'insert') Object.assign(mapAt(tree, path), copyOf(mapping(operation.entries)));
  else if (kind === 'append')
    (containerAt(tree, path, () => []) as unknown[]).push(...operation.values.map(copyOf));
  else if (kind === 'rename') rename(mapAt(tree, parent), String(key), operation.to);
  else {
    const place = yaml.at(path);
    remove(tree, path, place.kind === 'found' ? place.width : 1);
  }
}

function withoutGone(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).filter((item) => item !== gone).map(withoutGone);
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== gone);
  return mapping(entries.map(([key, inner]) => [key, withoutGone(inner)]));
}

export function treeAfter(yaml: YamlText, operations: readonly Operation[]): unknown {
  const copy = copyOf(yaml.tree) as Mapping;
  for (const operation of operations) perform(copy, operation, yaml);
  return withoutGone(copy);
}

/** An empty map means the same as no value. */
const isNothing = (value: unknown): boolean =>
  value === null || (isMapping(value) && Object.keys(value).length === 0);

/** Whether two values mean the same; the order of keys does not matter. */
export function isSame(a: unknown, b: unknown): boolean {
  if (isNothing(a) && isNothing(b)) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && (a as unknown[]).every((item, nr) => isSame(item, (b as unknown[])[nr]));
  if (!isMapping(a) || !isMapping(b))
    return Object.is(a, b) || (a instanceof Date && String(a) === String(b));
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && isSame(a[key], b[key]));
}
