/**
 * `topology/` reads a topology file and reports its errors. This file reads its YAML as plain values, with the place
 * of each value in the file.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  parseDocument,
  type LineCounter,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { findTooDeep, type TooDeep } from '../../lib/text/yaml-depth.ts';
import { yamlMistake } from '../../lib/text/yaml-mistake.ts';
import type { Findings, Origin } from './findings.ts';
import { withContainerlabScalars, withNetlabScalars } from './yaml-scalars.ts';

/** The maximum size of a topology: a topology of 5,000 nodes has 200 KB, and the parser takes a second for 1 MiB. */
const sizeMaxChars = 1_048_576;

/** Each dot of a key makes a map. No attribute of netlab has a third of these. */
const keyPartsMax = 32;

/** The first reason not to parse `text`; undefined if there is none. */
function findTooMuch(text: string): TooDeep | undefined {
  if (text.length <= sizeMaxChars) return findTooDeep(text, { Lexer, Parser });
  const size = (text.length / 1_048_576).toFixed(1);
  return { offset: 0, message: `the file has ${size} MiB; the limit is 1 MiB` };
}

/** A map of the topology. */
export type Mapping = Record<string, unknown>;

interface EntryOrigin {
  readonly key: Origin;
  readonly value: Origin;
  /** Whether a key with a dot made the entry: `a.b: 1` makes `a`. */
  readonly isImplied?: boolean;
  /** Whether YAML reads the key as a number, a boolean or nothing, such as `on` and `null` without quotes. */
  readonly isUnquoted?: boolean;
}

/**
 * The maximum number of values in a topology. Only aliases can exceed it: a file of 1 MiB has fewer values of its
 * own.
 */
const valuesMax = 500_000;

/** Aliases in what aliases stand for: each may have a hundred levels. */
const aliasDepthMax = 8;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

const messageMaxChars = 200;

/** Shortens a message of the parser: it quotes all text that it does not understand, which can be pages. */
function cut(message: string): string {
  return message.length <= messageMaxChars ? message : `${message.slice(0, messageMaxChars)}…`;
}

export interface SourceOptions {
  readonly isContainerlab?: boolean;
  /** Whether `contents` has the tokens of the text, for changes of the text. */
  readonly keepsTokens?: boolean;
}

/**
 * A topology file as plain values, with the place of each. Expands keys with dots as netlab does (`defaults.device:
 * linux` is `defaults: {device: linux}`), unless the file is in containerlab's format, and resolves aliases and merge
 * keys.
 */
export class Source {
  readonly #findings: Findings;
  readonly #origins = new WeakMap<object, Map<string, EntryOrigin>>();
  readonly #anchors = new Map<string, Node>();
  readonly #options: SourceOptions;
  #values = 0;
  #aliasDepth = 0;
  #contents: Node | null = null;
  readonly root: Mapping;

  /** Reports the errors in the YAML; `root` is then empty, or the part that could be read. */
  constructor(text: string, lines: LineCounter, findings: Findings, options: SourceOptions = {}) {
    this.#findings = findings;
    this.#options = options;
    this.root = this.#read(text, lines);
  }

  /** The parsed YAML. */
  get contents(): Node | null {
    return this.#contents;
  }

  #read(text: string, lines: LineCounter): Mapping {
    const tooMuch = findTooMuch(text);
    if (tooMuch !== undefined) {
      // The parser does not run, so the line counter needs the line starts from here.
      lines.addNewLine(0);
      for (let at = text.indexOf('\n'); at !== -1 && at < tooMuch.offset; at = text.indexOf('\n', at + 1))
        lines.addNewLine(at + 1);
      this.#findings.error(tooMuch.offset, tooMuch.message);
      return this.mapping();
    }
    const document = parseDocument(text, {
      version: '1.1',
      customTags: this.#options.isContainerlab === true ? withContainerlabScalars : withNetlabScalars,
      keepSourceTokens: this.#options.keepsTokens === true,
      lineCounter: lines,
      prettyErrors: false,
      // The parser would compare every key with every other, which is slow; `#add` finds duplicates too.
      uniqueKeys: false,
    });
    // Reports only the first error: after it, the parser misreads the rest of the file.
    const [problem] = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
    if (problem !== undefined) {
      this.#findings.error(problem.pos[0], cut(yamlMistake(problem.message)));
      return this.mapping();
    }
    this.#contents = document.contents;
    const root = document.contents === null ? null : this.#value(document.contents);
    if (isMapping(root)) return root;
    this.#findings.error(
      0,
      root === null ? 'the file is empty' : 'a topology must be a map with nodes and links',
    );
    return this.mapping();
  }

  #value(node: Node | null): unknown {
    this.#values += 1;
    if (node === null || this.#values > valuesMax) return null;
    if (isAlias(node)) return this.#aliased(node.source, node.range?.[0] ?? 0);
    const value = this.#ownValue(node);
    // Recorded after its value was read, so that no value can contain itself.
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    return value;
  }

  #ownValue(node: Node): unknown {
    if (isScalar(node)) return node.value;
    if (isMap(node)) return this.#map(node);
    if (!isSeq(node)) return null;
    const list: unknown[] = [];
    for (const [index, item] of node.items.entries()) {
      const at = (item as Node).range?.[0] ?? 0;
      this.#note(list, String(index), { key: at, value: at });
      list.push(this.#value(item as Node));
    }
    return list;
  }

  #aliased(anchor: string, at: number): unknown {
    const target = this.#anchors.get(anchor);
    if (target === undefined)
      this.#findings.error(at, `the alias *${anchor} has no anchor &${anchor} before it`);
    this.#aliasDepth += 1;
    if (this.#aliasDepth > aliasDepthMax) this.#values = Math.max(this.#values, valuesMax + 1);
    const value = this.#value(target ?? null);
    this.#aliasDepth -= 1;
    if (this.#values > valuesMax && this.#values !== Infinity) {
      this.#findings.error(at, 'the aliases of this file expand to too many values');
      this.#values = Infinity;
    }
    return value;
  }

  #map(node: YAMLMap): Mapping {
    const map = this.mapping();
    const merged: Node[] = [];
    for (const pair of node.items as Pair<Node, Node | null>[]) {
      const at = pair.key.range?.[0] ?? 0;
      if (!isScalar(pair.key)) {
        this.#findings.error(at, 'a key must be a word');
        continue;
      }
      if (typeof pair.key.value === 'symbol') {
        if (pair.value !== null) merged.push(pair.value);
        continue;
      }
      // An empty value has no place in the file; the place of its key is used.
      const [start, end] = pair.value?.range ?? [at, at];
      const valueAt = start === end ? at : start;
      const key = pair.key.source ?? String(pair.key.value);
      if (this.#options.isContainerlab !== true && key.split('.').length > keyPartsMax) {
        this.#findings.error(at, `a key with dots has at most ${keyPartsMax} parts`);
        continue;
      }
      const isUnquoted = typeof pair.key.value !== 'string';
      this.#add(map, key, this.#value(pair.value), { key: at, value: valueAt, isUnquoted });
    }
    for (const other of merged) this.#merge(map, other);
    return map;
  }

  /** `<<: *base`: adds the entries of `base` that the map does not have. */
  #merge(map: Mapping, node: Node): void {
    const value = this.#value(node);
    for (const base of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (!isMapping(base)) {
        this.#findings.error(node.range?.[0] ?? 0, 'only maps can be merged with <<');
        return;
      }
      for (const [key, inherited] of Object.entries(base)) {
        if (key in map) continue;
        map[key] = inherited;
        this.#values += 1;
        this.#note(map, key, { key: this.keyAt(base, key), value: this.valueAt(base, key) });
      }
    }
  }

  /**
   * Adds an entry; a key `a.b.c` becomes `{a: {b: {c}}}`. A map from such a key is merged with an existing map. Any
   * other entry with an existing key is reported as a duplicate.
   */
  #add(map: Mapping, key: string, value: unknown, origin: EntryOrigin): void {
    const dot = this.#options.isContainerlab === true ? -1 : key.indexOf('.');
    if (dot > 0 && dot < key.length - 1) {
      const rest = this.mapping();
      this.#add(rest, key.slice(dot + 1), value, origin);
      this.#add(map, key.slice(0, dot), rest, { ...origin, isImplied: true });
      return;
    }
    const present = map[key];
    const presentOrigin = this.#origins.get(map)?.get(key);
    const mayMerge = presentOrigin?.isImplied === true || origin.isImplied === true;
    if (presentOrigin === undefined) {
      map[key] = value;
      this.#note(map, key, origin);
    } else if (mayMerge && isMapping(present) && isMapping(value)) {
      for (const [inner, innerOrigin] of this.#origins.get(value) ?? [])
        this.#add(present, inner, value[inner], innerOrigin);
      if (origin.isImplied !== true) this.#note(map, key, origin);
    } else this.#findings.error(origin.key, `duplicate key "${key}"`);
  }

  #note(container: object, key: string, origin: EntryOrigin): void {
    const origins = this.#origins.get(container) ?? new Map<string, EntryOrigin>();
    this.#origins.set(container, origins.set(key, origin));
  }

  /** An empty map without prototype: a key named `__proto__` is an ordinary key. */
  mapping(): Mapping {
    return Object.create(null) as Mapping;
  }

  /** Sets a value, replacing the old one. */
  put(container: Mapping, key: string, value: unknown, origin: EntryOrigin): void {
    container[key] = value;
    this.#note(container, key, origin);
  }

  /** Whether YAML reads the key as a number, a boolean or null: netlab does not accept it as a name. */
  isUnquoted(container: object, key: string): boolean {
    return this.#origins.get(container)?.get(key)?.isUnquoted === true;
  }

  keyAt(container: object, key: string | number): Origin {
    return this.#origins.get(container)?.get(String(key))?.key ?? 0;
  }

  valueAt(container: object, key: string | number): Origin {
    return this.#origins.get(container)?.get(String(key))?.value ?? 0;
  }
}

/** Advice for a name that YAML does not read as text; empty for other values. */
export function quotesHint(value: unknown): string {
  return typeof value === 'boolean'
    ? '; on, off, yes and no are booleans in YAML unless they are in quotes'
    : '';
}

/** A topology during reading: its text as values, and the findings so far. */
export interface Reading {
  readonly source: Source;
  readonly findings: Findings;
}

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
