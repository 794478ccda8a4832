/** A YAML file as nested values, and the way from a path in them to the place in the text. */
import {
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  type ParsedNode,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { Findings } from '../../../../../src/engine/topology/findings.ts';
import { isMapping, Source, type Mapping } from '../../../../../src/engine/topology/source.ts';
import type { Format, Span } from './drawing.ts';

/** Keys of maps and indexes of lists, from the root of the file. */
export type Path = readonly (string | number)[];

export type MapNode = YAMLMap.Parsed;
export type ListNode = YAMLSeq.Parsed;
export type Entry = Pair<ParsedNode, ParsedNode | null>;

/** An item of a map or a list. */
export interface Item {
  readonly parent: MapNode | ListNode;
  readonly index: number;
  /** Undefined in a list. */
  readonly entry: Entry | undefined;
  readonly value: ParsedNode | null;
  /** The number of keys that its key stands for: 2 for `bgp.as`. */
  readonly width: number;
}

/** The part of the text at a path, or the place where it can be inserted. */
export type Place =
  | ({ readonly kind: 'found' } & Item)
  /** The keys `rest` are missing in `holder`: a map, an item that has no value yet, or undefined in an empty file. */
  | {
      readonly kind: 'missing';
      readonly holder: MapNode | Item | undefined;
      readonly rest: readonly string[];
    }
  /** The value comes from an alias, a merge or several keys with dots, or there can be no such value. */
  | { readonly kind: 'elsewhere' };

export const isNull = (node: ParsedNode | null): boolean =>
  node === null || (isScalar(node) && node.value === null);

/** Whether a value has no text: `r1:`, unlike `r1: null`. */
export const isEmpty = (node: ParsedNode | null): boolean =>
  node === null || (isNull(node) && isScalar(node) && (node.source ?? '') === '');

/** The offset behind the colon of an entry. */
export function colonEnd({ key, srcToken }: Entry): number {
  const colon = srcToken?.sep?.find(({ type }) => type === 'map-value-ind');
  return colon === undefined ? (key.range[1] ?? 0) : colon.offset + 1;
}

/** Whether an entry is a key alone, as in `{r1, r2}`. */
export const isKeyAlone = ({ srcToken }: Entry): boolean =>
  srcToken?.sep?.some(({ type }) => type === 'map-value-ind') !== true;

/** The offset behind the last character of an item, without comments and line ends after it. */
export function endOf(item: Entry | ParsedNode, text: string): number {
  if (isPair(item)) {
    const { value } = item;
    return value === null || isEmpty(value) ? colonEnd(item) : endOf(value, text);
  }
  const last = isCollection(item) && item.flow !== true ? item.items.at(-1) : undefined;
  if (last !== undefined) return endOf(last, text);
  let end = item.range[1];
  // A block scalar ends with its line ends.
  while (end > 0 && text[end - 1] === '\n') end -= 1;
  return end;
}

/** Undefined if there is none. */
export function valueAt(tree: unknown, path: Path): unknown {
  let value = tree;
  for (const key of path) {
    if (isMapping(value)) value = value[key];
    else value = Array.isArray(value) && typeof key === 'number' ? (value as unknown[])[key] : undefined;
  }
  return value;
}

/** `nested(['bgp', 'as'], 1)` is `{ bgp: { as: 1 } }`. */
export function nested([first = '', ...others]: readonly string[], value: unknown): Mapping {
  return { [first]: others.length === 0 ? value : nested(others, value) };
}

export class YamlText {
  readonly text: string;
  readonly format: Format;
  readonly source: Source;
  /** The first error of the YAML; none for a file without content, in which everything can be inserted. */
  readonly error: { readonly message: string; readonly line: number } | undefined;
  readonly #indexes = new WeakMap<MapNode, Map<string, number[]>>();

  constructor(text: string, format: Format) {
    this.text = text;
    this.format = format;
    const lines = new LineCounter();
    const findings = new Findings(lines);
    this.source = new Source(text, lines, findings, {
      isContainerlab: format === 'containerlab',
      keepsTokens: true,
    });
    const isBlank = text.split('\n').every((line) => /^(?:---)?\s*(?:#.*)?$/.test(line));
    const first = isBlank ? undefined : findings.errors[0];
    this.error = first && { message: first.message, line: first.position?.line ?? 1 };
  }

  get tree(): Mapping {
    return this.source.root;
  }

  /** Undefined in an empty file. */
  get contents(): MapNode | undefined {
    const { contents } = this.source;
    return isMap(contents) ? (contents as MapNode) : undefined;
  }

  valueAt(path: Path): unknown {
    return valueAt(this.tree, path);
  }

  /** The text of the item at `path`; undefined when it comes from elsewhere. */
  spanOf(path: Path): Span | undefined {
    const place = this.at(path);
    if (place.kind !== 'found') return undefined;
    const { entry, value } = place;
    const item = entry ?? value;
    if (item === null) return undefined;
    return { from: (entry?.key ?? value)?.range[0] ?? 0, to: endOf(item, this.text) };
  }

  lineStart(at: number): number {
    return this.text.lastIndexOf('\n', at - 1) + 1;
  }

  lineEnd(at: number): number {
    const end = this.text.indexOf('\n', at);
    return end === -1 ? this.text.length : end;
  }

  /** The spaces up to the column of an offset. A byte order mark takes no column. */
  indentAt(at: number): string {
    return ' '.repeat(this.text.slice(this.lineStart(at), at).replace('\uFEFF', '').length);
  }

  endOfItem(parent: MapNode | ListNode, index: number): number {
    const item = parent.items[index];
    return item === undefined ? 0 : endOf(item, this.text);
  }

  /** The offset of the key of an entry, or of the dash of an item. */
  startOf(parent: MapNode | ListNode, index: number): number {
    const item = parent.items[index];
    if (item === undefined) return 0;
    if ('key' in item) return item.key.range[0];
    const { srcToken } = parent;
    const start = srcToken?.type === 'block-seq' ? srcToken.items[index]?.start : undefined;
    return start?.find(({ type }) => type === 'seq-item-ind')?.offset ?? item.range[0];
  }

  /** The end of the lines of an item; deeper comments behind it belong to it. */
  endOfLines(parent: MapNode | ListNode, index: number): number {
    const indent = this.indentAt(this.startOf(parent, 0));
    let end = this.lineEnd(this.endOfItem(parent, index));
    for (;;) {
      const next = this.text.slice(end + 1, this.lineEnd(end + 1));
      if (end >= this.text.length || !next.startsWith(`${indent} `) || !next.trimStart().startsWith('#'))
        return end;
      end += 1 + next.length;
    }
  }

  /** Finds what the text has at `path`. */
  at(path: Path): Place {
    let node: ParsedNode | null = this.contents ?? null;
    let holder: MapNode | Item | undefined = this.contents;
    let found: Place = { kind: 'elsewhere' };
    for (let done = 0; done < path.length;) {
      const rest = path.slice(done);
      const item = this.#itemAt(node, rest);
      if (item === undefined) {
        const isOpen = isMap(node) || isNull(node);
        const isNew = this.valueAt(path) === undefined || this.#isMerged(node, rest);
        const isMissing = isOpen && isNew && !rest.some(Number.isInteger);
        return isMissing ? { kind: 'missing', holder, rest: rest as string[] } : { kind: 'elsewhere' };
      }
      found = { kind: 'found', ...item };
      node = item.value;
      holder = isMap(node) ? node : item;
      done += item.width;
    }
    return found;
  }

  /** The item with the first key, or the first keys, of `path`. */
  #itemAt(node: ParsedNode | null, path: Path): Item | undefined {
    const [first] = path;
    if (isSeq(node) && typeof first === 'number') {
      const parent = node;
      const value = parent.items[first];
      return value && { parent, index: first, entry: undefined, value: value, width: 1 };
    }
    if (!isMap(node) || isAlias(node)) return undefined;
    const parent = node;
    for (const index of this.#indexesOf(parent).get(String(first)) ?? []) {
      const entry = parent.items[index];
      const keys = entry ? this.#keysOf(entry) : [];
      if (entry && keys.length <= path.length && keys.every((key, nr) => key === path[nr]))
        return { parent, index, entry, value: entry.value, width: keys.length };
    }
    return undefined;
  }

  /** The indexes of the entries by their first key: a search among all of them would be slow in large files. */
  #indexesOf(map: MapNode): ReadonlyMap<string, readonly number[]> {
    const known = this.#indexes.get(map);
    if (known) return known;
    const indexes = new Map<string, number[]>();
    for (const [index, entry] of map.items.entries()) {
      const [first] = this.#keysOf(entry);
      if (first !== undefined) indexes.set(first, [...(indexes.get(first) ?? []), index]);
    }
    this.#indexes.set(map, indexes);
    return indexes;
  }

  /** Whether `<<` gives the value: an entry of the map itself takes precedence. */
  #isMerged(node: ParsedNode | null, [first, ...others]: Path): boolean {
    if (!isMap(node) || others.length > 0 || this.#indexesOf(node).has(String(first))) return false;
    return node.items.some(({ key }) => isScalar(key) && typeof key.value === 'symbol');
  }

  /** The keys that the key of an entry stands for, as `Source` reads them. */
  #keysOf({ key }: Entry): readonly string[] {
    if (!isScalar(key) || typeof key.value === 'symbol') return [];
    let rest = key.source ?? String(key.value);
    if (this.format !== 'netlab') return [rest];
    const keys: string[] = [];
    for (let dot = rest.indexOf('.'); dot > 0 && dot < rest.length - 1; dot = rest.indexOf('.')) {
      keys.push(rest.slice(0, dot));
      rest = rest.slice(dot + 1);
    }
    return [...keys, rest];
  }
}
