/** A YAML file as nested values, and the way from a path in them to the place in the text. */
import {
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Pair,
  type ParsedNode,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { Findings } from '../../../../../src/engine/topology/findings.ts';
import { Source, type Mapping } from '../../../../../src/engine/topology/source.ts';
import { withNetlabScalars } from '../../../../../src/engine/topology/yaml-scalars.ts';
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

const options = { version: '1.1', keepSourceTokens: true, prettyErrors: false, uniqueKeys: false } as const;

/** Whether a value has no text: `r1:`, unlike `r1: null`. */
export const isEmpty = (node: ParsedNode | null): boolean =>
  node === null || (isScalar(node) && node.value === null && (node.source ?? '') === '');

/** The offset behind the colon of an entry. */
export function colonEnd({ key, srcToken }: Entry): number {
  const colon = srcToken?.sep?.find(({ type }) => type === 'map-value-ind');
  return colon === undefined ? (key.range[1] ?? 0) : colon.offset + 1;
}

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

function valueAt(tree: unknown, path: Path): unknown {
  let value = tree;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[key];
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
  #document: Document.Parsed | undefined;

  constructor(text: string, format: Format) {
    this.text = text;
    this.format = format;
    const lines = new LineCounter();
    const findings = new Findings(lines);
    this.source = new Source(text, lines, findings, format === 'netlab');
    const isBlank = text.split('\n').every((line) => /^\s*(?:#.*)?$/.test(line));
    const first = isBlank ? undefined : findings.errors[0];
    this.error = first && { message: first.message, line: first.position?.line ?? 1 };
  }

  get tree(): Mapping {
    return this.source.root;
  }

  /** Undefined in an empty file. */
  get contents(): MapNode | undefined {
    this.#document ??= parseDocument(this.text, { ...options, customTags: withNetlabScalars });
    const { contents } = this.#document;
    return isMap(contents) ? contents : undefined;
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

  /** Finds what the text has at `path`. */
  at(path: Path): Place {
    let node: ParsedNode | null = this.contents ?? null;
    let holder: MapNode | Item | undefined = this.contents;
    let found: Place = { kind: 'elsewhere' };
    for (let done = 0; done < path.length;) {
      const rest = path.slice(done);
      const item = this.#itemAt(node, rest);
      if (item === undefined) {
        const isOpen = isMap(node) || isEmpty(node);
        const isMissing = isOpen && this.valueAt(path) === undefined && !rest.some(Number.isInteger);
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
    for (const [index, entry] of parent.items.entries()) {
      const keys = this.#keysOf(entry);
      if (keys.length > 0 && keys.length <= path.length && keys.every((key, nr) => key === path[nr]))
        return { parent, index, entry, value: entry.value, width: keys.length };
    }
    return undefined;
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
