/** Turns operations on the values of a YAML file into changes of its text. All other text stays as it is. */
import { isCollection, isScalar, isSeq } from 'yaml';
import type { TextChange } from './drawing.ts';
import { blockEntry, blockItem, flowEntry, isFlat, printFlow, printKey } from './yaml-print.ts';
import {
  colonEnd,
  endOf,
  isEmpty,
  type Item,
  type ListNode,
  type MapNode,
  type Path,
  type YamlText,
} from './yaml-text.ts';

/** All paths are those before the first operation. */
export type Operation =
  | { readonly kind: 'put'; readonly path: Path; readonly value: unknown }
  /** Adds entries at the end of the map at `path`, which is made if there is none. */
  | {
      readonly kind: 'insert';
      readonly path: Path;
      readonly entries: readonly (readonly [string, unknown])[];
    }
  /** Adds items at the end of the list at `path`, which is made if there is none. */
  | { readonly kind: 'append'; readonly path: Path; readonly values: readonly unknown[] }
  | { readonly kind: 'remove'; readonly path: Path }
  /** Gives an entry of a map another key. */
  | { readonly kind: 'rename'; readonly path: Path; readonly to: string };

/** An edit that the text does not allow; the message ends with the remedy. */
export class RefusedEdit extends Error {}

export const editTheText = 'change it in the text';

function refuse(path: Path): never {
  throw new RefusedEdit(
    `${path.join('.')} comes from another part of the file, or is written in an unusual way: ${editTheText}`,
  );
}

type Entries = readonly (readonly [string, unknown])[];

class Splicer {
  readonly #yaml: YamlText;
  readonly #text: string;
  readonly changes: TextChange[] = [];

  constructor(yaml: YamlText) {
    this.#yaml = yaml;
    this.#text = yaml.text;
  }

  #change(from: number, to: number, insert: string): void {
    this.changes.push({ from, to, insert });
  }

  #lineStart(at: number): number {
    return this.#text.lastIndexOf('\n', at - 1) + 1;
  }

  #lineEnd(at: number): number {
    const end = this.#text.indexOf('\n', at);
    return end === -1 ? this.#text.length : end;
  }

  /** The spaces up to the column of an offset. */
  #indentAt(at: number): string {
    return ' '.repeat(at - this.#lineStart(at));
  }

  put(path: Path, value: unknown): void {
    const place = this.#yaml.at(path);
    if (place.kind === 'elsewhere') return refuse(path);
    if (place.kind === 'found') return this.#replace(place, value, path);
    this.#fill(place.holder, [this.#entryFor(place.rest, value)], path);
  }

  /** netlab reads `bgp.as: 1` as two keys; in other files, each key gets a map of its own. */
  #entryFor([first = '', ...others]: readonly string[], value: unknown): readonly [string, unknown] {
    if (others.length === 0) return [first, value];
    if (this.#yaml.format === 'netlab' && isFlat(value)) return [[first, ...others].join('.'), value];
    const [key, inner] = this.#entryFor(others, value);
    return [first, { [key]: inner }];
  }

  #replace(item: Item, value: unknown, path: Path): void {
    const { entry, parent, value: old } = item;
    const isFlow = parent.flow === true;
    if (!entry) {
      if (old === null || isEmpty(old)) return refuse(path);
      const [start] = old.range;
      const text = isFlow ? printFlow(value) : blockItem(value, this.#indentAt(start));
      return this.#change(start, endOf(old, this.#text), text);
    }
    const after = colonEnd(entry);
    const end = old === null || isEmpty(old) ? after : endOf(old, this.#text);
    const flat = isFlow || isFlat(value) ? printFlow(value) : undefined;
    const isBlock = isCollection(old) && old.flow !== true;
    const isPlain = old !== null && !isEmpty(old) && !isBlock && old.srcToken?.type !== 'block-scalar';
    if (flat !== undefined && flat !== '' && isPlain) return this.#change(old.range[0], end, flat);
    if (flat !== undefined) return this.#change(after, end, flat === '' ? '' : ` ${flat}`);
    const indent = `${this.#indentAt(entry.key.range[0])}  `;
    this.#change(after, end, `\n${indent}${blockItem(value, indent)}`);
  }

  /** Adds entries to a map, to an item without a value, or to an empty file. */
  #fill(holder: MapNode | Item | undefined, entries: Entries, path: Path): void {
    if (holder === undefined) {
      const start = this.#text === '' || this.#text.endsWith('\n') ? '' : '\n';
      const lines = entries.map(([key, value]) => `${blockEntry(key, value, '')}\n`);
      return this.#change(this.#text.length, this.#text.length, start + lines.join(''));
    }
    if ('items' in holder) return this.#extend(holder, entries);
    const { entry, parent } = holder;
    if (!entry) return refuse(path);
    if (parent.flow === true) {
      const at = colonEnd(entry);
      return this.#change(at, at, ` { ${entries.map(([key, value]) => flowEntry(key, value)).join(', ')} }`);
    }
    const indent = `${this.#indentAt(entry.key.range[0])}  `;
    this.#addLines(
      this.#lineEnd(colonEnd(entry)),
      entries.map(([key, value]) => indent + blockEntry(key, value, indent)),
    );
  }

  #addLines(at: number, lines: readonly string[]): void {
    this.#change(at, at, lines.map((line) => `\n${line}`).join(''));
  }

  #extend(map: MapNode, entries: Entries): void {
    const last = map.items.at(-1);
    if (map.flow === true || !last)
      return this.#extendFlow(
        map,
        entries.map(([key, value]) => flowEntry(key, value)),
      );
    const indent = this.#indentAt(map.items[0]?.key.range[0] ?? 0);
    const lines = entries.map(([key, value]) => indent + blockEntry(key, value, indent));
    this.#addLines(this.#lineEnd(endOf(last, this.#text)), lines);
  }

  #extendFlow(node: MapNode | ListNode, texts: readonly string[]): void {
    const last = node.items.at(-1);
    if (last !== undefined) {
      const at = endOf(last, this.#text);
      return this.#change(at, at, texts.map((text) => `, ${text}`).join(''));
    }
    const [from, to] = node.range;
    this.#change(from, to, isSeq(node) ? `[${texts.join(', ')}]` : `{ ${texts.join(', ')} }`);
  }

  insert(path: Path, entries: Entries): void {
    const place = this.#yaml.at(path);
    if (place.kind === 'elsewhere') return refuse(path);
    if (place.kind === 'missing')
      return this.#fill(place.holder, [this.#entryFor(place.rest, Object.fromEntries(entries))], path);
    const { value } = place;
    if (isEmpty(value)) return this.#fill(place, entries, path);
    if (!isCollection(value) || isSeq(value)) return refuse(path);
    this.#extend(value, entries);
  }

  append(path: Path, values: readonly unknown[]): void {
    const place = this.#yaml.at(path);
    if (place.kind === 'elsewhere') return refuse(path);
    if (place.kind === 'missing' || isEmpty(place.value)) return this.put(path, values);
    if (!isSeq(place.value)) return refuse(path);
    const list = place.value;
    const last = list.items.at(-1);
    if (list.flow === true || !last) return this.#extendFlow(list, values.map(printFlow));
    const indent = this.#indentAt(this.#startOf(list, 0));
    const lines = values.map((value) => `${indent}- ${blockItem(value, `${indent}  `)}`);
    this.#addLines(this.#lineEnd(endOf(last, this.#text)), lines);
  }

  rename(path: Path, to: string): void {
    const place = this.#yaml.at(path);
    if (place.kind !== 'found' || place.width !== 1 || !isScalar(place.entry?.key)) return refuse(path);
    const [from, end] = place.entry.key.range;
    this.#change(from, end, printKey(to));
  }

  /** Removes items; a list or map that loses all of them becomes an empty one. */
  removeAll(paths: readonly Path[]): void {
    const removed = new Map<MapNode | ListNode, { readonly path: Path; readonly indexes: Set<number> }>();
    for (const path of paths) {
      const place = this.#yaml.at(path);
      if (place.kind !== 'found') return refuse(path);
      const known = removed.get(place.parent) ?? {
        path: path.slice(0, -place.width),
        indexes: new Set<number>(),
      };
      known.indexes.add(place.index);
      removed.set(place.parent, known);
    }
    for (const [parent, { path, indexes }] of removed) {
      if (indexes.size === parent.items.length) this.put(path, isSeq(parent) ? [] : {});
      else this.#removeRuns(parent, indexes, path);
    }
  }

  #removeRuns(parent: MapNode | ListNode, indexes: ReadonlySet<number>, path: Path): void {
    const count = parent.items.length;
    for (let first = 0; first < count; first += 1) {
      if (!indexes.has(first)) continue;
      let last = first;
      while (indexes.has(last + 1)) last += 1;
      if (parent.flow === true) this.#removeFlow(parent, first, last, path);
      else this.#removeLines(parent, first, last);
      first = last;
    }
  }

  #itemEnd(parent: MapNode | ListNode, index: number): number {
    const item = parent.items[index];
    return item === undefined ? 0 : endOf(item, this.#text);
  }

  /** The offset of the key of an entry, or of the dash of an item. */
  #startOf(parent: MapNode | ListNode, index: number): number {
    const item = parent.items[index];
    if (item === undefined) return 0;
    if ('key' in item) return item.key.range[0];
    const { srcToken } = parent;
    const start = srcToken?.type === 'block-seq' ? srcToken.items[index]?.start : undefined;
    return start?.find(({ type }) => type === 'seq-item-ind')?.offset ?? item.range[0];
  }

  #removeFlow(parent: MapNode | ListNode, first: number, last: number, path: Path): void {
    const isEnd = last + 1 === parent.items.length;
    const from = isEnd ? this.#itemEnd(parent, first - 1) : this.#startOf(parent, first);
    const to = isEnd ? this.#itemEnd(parent, last) : this.#startOf(parent, last + 1);
    // A comment between the items would disappear with them.
    if (this.#text.slice(from, to).includes('#')) refuse(path);
    this.#change(from, to, '');
  }

  #removeLines(parent: MapNode | ListNode, first: number, last: number): void {
    const start = this.#startOf(parent, first);
    const lineStart = this.#lineStart(start);
    const isWhole = this.#text.slice(lineStart, start).trim() === '';
    // The first key behind the dash of a list: the next key takes its place.
    if (!isWhole) return this.#change(start, this.#startOf(parent, last + 1), '');
    const end = this.#lineEnd(this.#itemEnd(parent, last));
    if (end < this.#text.length) this.#change(lineStart, end + 1, '');
    else this.#change(Math.max(lineStart - 1, 0), end, '');
  }
}

/** In the order of the text; insertions at the same place are one change. */
function inOrder(changes: readonly TextChange[]): TextChange[] {
  const sorted = changes.toSorted((a, b) => a.from - b.from || a.to - b.to);
  const merged: TextChange[] = [];
  for (const change of sorted) {
    const before = merged.at(-1);
    if (before && before.to === change.from && (before.from === before.to || change.from === change.to))
      merged[merged.length - 1] = { from: before.from, to: change.to, insert: before.insert + change.insert };
    else if (before && before.to > change.from)
      throw new RefusedEdit(`two parts of this edit overlap: ${editTheText}`);
    else merged.push(change);
  }
  return merged;
}

/** @throws RefusedEdit */
export function splice(yaml: YamlText, operations: readonly Operation[]): TextChange[] {
  const splicer = new Splicer(yaml);
  const removed: Path[] = [];
  for (const operation of operations) {
    const { kind, path } = operation;
    if (kind === 'put') splicer.put(path, operation.value);
    else if (kind === 'insert') splicer.insert(path, operation.entries);
    else if (kind === 'append') splicer.append(path, operation.values);
    else if (kind === 'rename') splicer.rename(path, operation.to);
    else removed.push(path);
  }
  splicer.removeAll(removed);
  return inOrder(splicer.changes);
}

export function textAfter(text: string, changes: readonly TextChange[]): string {
  let at = 0;
  let result = '';
  for (const { from, to, insert } of changes) {
    result += text.slice(at, from) + insert;
    at = to;
  }
  return result + text.slice(at);
}
