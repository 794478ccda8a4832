/** Turns operations on the values of a YAML file into changes of its text. All other text stays as it is. */
import { isCollection, isScalar, isSeq, type ParsedNode } from 'yaml';
import type { TextChange } from './drawing.ts';
import { editTheText, keepComments, refuse, RefusedEdit, type Operation } from './operation.ts';
import { removal, type Removed } from './removal.ts';
import { isSame } from './tree.ts';
import { blockEntry, blockItem, flowEntry, isFlat, printFlow, printKey, printQuoted } from './yaml-print.ts';
import {
  colonEnd,
  endOf,
  isEmpty,
  isKeyAlone,
  isNull,
  type Item,
  type ListNode,
  type MapNode,
  type Path,
  type YamlText,
} from './yaml-text.ts';

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

  put(path: Path, value: unknown): void {
    const place = this.#yaml.at(path);
    if (place.kind === 'elsewhere') return refuse(path);
    if (place.kind === 'found') {
      if (!this.#changeItems(place.value, value, path)) this.#replace(place, value, path);
      return;
    }
    this.#fill(place.holder, [this.#entryFor(place.rest, value)], path);
  }

  /** netlab reads `bgp.as: 1` as two keys; in other files, each key gets a map of its own. */
  #entryFor([first = '', ...others]: readonly string[], value: unknown): readonly [string, unknown] {
    if (others.length === 0) return [first, value];
    if (this.#yaml.format === 'netlab' && isFlat(value)) return [[first, ...others].join('.'), value];
    const [key, inner] = this.#entryFor(others, value);
    return [first, { [key]: inner }];
  }

  /** In a list that gets or loses items, the others stay as they are, with their comments. */
  #changeItems(list: ParsedNode | null, value: unknown, path: Path): boolean {
    if (!isSeq(list) || !Array.isArray(value)) return false;
    const items: readonly unknown[] = value;
    const old = this.#yaml.valueAt(path) as readonly unknown[];
    const gone = old.flatMap((item, index) => (items.some((one) => isSame(one, item)) ? [] : [index]));
    const kept = old.filter((_, index) => !gone.includes(index));
    const added = items.slice(kept.length);
    if (kept.length === 0 || !isSame(kept, items.slice(0, kept.length))) return false;
    if (gone.length > 0 && added.length > 0) return false;
    if (added.length > 0) this.append(path, added);
    this.removeAll(gone.map((index) => [...path, index]));
    return true;
  }

  #replace(item: Item, value: unknown, path: Path): void {
    const { entry, parent, value: old } = item;
    const isFlow = parent.flow === true;
    if (!entry) {
      if (old === null || isEmpty(old)) return refuse(path);
      const [start, stop] = [old.range[0], endOf(old, this.#text)];
      if (isCollection(old)) keepComments(this.#text.slice(start, stop), path);
      const text = isFlow ? printFlow(value) : blockItem(value, this.#yaml.indentAt(start));
      return this.#change(start, stop, text);
    }
    const after = colonEnd(entry);
    const end = old === null || isEmpty(old) ? after : endOf(old, this.#text);
    if (isCollection(old)) keepComments(this.#text.slice(after, end), path);
    const flat = isFlow || isFlat(value) ? printFlow(value) : undefined;
    const isBlock = isCollection(old) && old.flow !== true;
    const isPlain = old !== null && !isEmpty(old) && !isBlock && old.srcToken?.type !== 'block-scalar';
    if (flat !== undefined && flat !== '' && isPlain) return this.#change(old.range[0], end, flat);
    const colon = isFlow && isKeyAlone(entry) ? ':' : '';
    if (flat !== undefined) return this.#change(after, end, flat === '' ? '' : `${colon} ${flat}`);
    const indent = `${this.#yaml.indentAt(entry.key.range[0])}  `;
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
    if (parent.flow === true || !isEmpty(entry.value))
      return this.#replace(holder, Object.fromEntries(entries), path);
    const indent = `${this.#yaml.indentAt(entry.key.range[0])}  `;
    this.#addLines(
      this.#yaml.lineEnd(colonEnd(entry)),
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
    const indent = this.#yaml.indentAt(this.#yaml.startOf(map, 0));
    const lines = entries.map(([key, value]) => indent + blockEntry(key, value, indent));
    this.#addLines(this.#yaml.endOfLines(map, map.items.length - 1), lines);
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
    if (isNull(value)) return this.#fill(place, entries, path);
    if (!isCollection(value) || isSeq(value)) return refuse(path);
    this.#extend(value, entries);
  }

  append(path: Path, values: readonly unknown[]): void {
    const place = this.#yaml.at(path);
    if (place.kind === 'elsewhere') return refuse(path);
    if (place.kind === 'missing' || isNull(place.value)) return this.put(path, values);
    if (!isSeq(place.value)) return refuse(path);
    const list = place.value;
    const last = list.items.at(-1);
    if (list.flow === true || !last) return this.#extendFlow(list, values.map(printFlow));
    const indent = this.#yaml.indentAt(this.#yaml.startOf(list, 0));
    const lines = values.map((value) => `${indent}- ${blockItem(value, `${indent}  `)}`);
    this.#addLines(this.#yaml.endOfLines(list, list.items.length - 1), lines);
  }

  rename(path: Path, to: string): void {
    const place = this.#yaml.at(path);
    if (place.kind !== 'found' || place.width !== 1 || !isScalar(place.entry?.key)) return refuse(path);
    const { range, type } = place.entry.key;
    // In JSON, a value may follow a key in quotes without a space.
    this.#change(range[0], range[1], type === 'PLAIN' ? printKey(to) : printQuoted(to));
  }

  /** Removes items; a list or map that loses all of them becomes an empty one. */
  removeAll(paths: readonly Path[]): void {
    const removed = new Map<MapNode | ListNode, Removed & { readonly indexes: Set<number> }>();
    for (const path of paths) {
      const place = this.#yaml.at(path);
      if (place.kind !== 'found') return refuse(path);
      const { parent, index, width } = place;
      const known = removed.get(parent) ?? { parent, path: path.slice(0, -width), indexes: new Set() };
      known.indexes.add(index);
      removed.set(parent, known);
    }
    for (const one of removed.values()) {
      const owner = this.#yaml.at(one.path);
      const isAll = one.indexes.size === one.parent.items.length;
      if (isAll && one.parent.flow === true) this.put(one.path, isSeq(one.parent) ? [] : {});
      else this.changes.push(...removal(this.#yaml, one, owner.kind === 'found' ? owner : undefined));
    }
  }
}

/** In the order of the text; insertions at the same place are one change, and so are deletions that overlap. */
function inOrder(changes: readonly TextChange[]): TextChange[] {
  const sorted = changes.toSorted((a, b) => a.from - b.from || a.to - b.to);
  const merged: TextChange[] = [];
  for (const change of sorted) {
    const before = merged.at(-1);
    if (before && before.to === change.from && (before.from === before.to || change.from === change.to))
      merged[merged.length - 1] = { from: before.from, to: change.to, insert: before.insert + change.insert };
    else if (before && before.to > change.from && before.insert + change.insert === '')
      merged[merged.length - 1] = { from: before.from, to: Math.max(before.to, change.to), insert: '' };
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
