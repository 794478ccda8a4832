/** Finds the places of problems in a topology: the line for a node that is named, and the node for a line. */
import type * as yaml from 'yaml';
import type { LineCounter, Pair } from 'yaml';
import { findTooDeep, maxParsedLength } from '../../lib/text/yaml-depth.ts';
import type { Form } from '../system/foreign-file.ts';

export interface TopologyProblem {
  /** The first line and the first column are 1. */
  readonly line: number | null;
  readonly column: number | null;
  /** The name of the node that it is about. */
  readonly node: string | null;
  /** The place in `links` of the link that it is about; the first is 1. */
  readonly link: number | null;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

/** A mistake in a topology, or a warning about it, as a lab CLI says it. */
export interface Finding {
  readonly severity: TopologyProblem['severity'];
  /** `FILE:LINE:COLUMN: ` comes first if the lab CLI says where it is. */
  readonly text: string;
  /** Of the topology, where the lab CLI says that alone. */
  readonly line?: number;
}

type Yaml = typeof yaml;

/** A part of the text, by its first and last offset. */
interface Part {
  readonly from: number;
  readonly to: number;
}

const partOf = (value: unknown): Part | undefined => {
  const range = (value as { readonly range?: readonly number[] | null } | null)?.range;
  return range ? { from: range[0] ?? 0, to: range[1] ?? 0 } : undefined;
};

function partOfPair({ key, value }: Pair): Part | undefined {
  const [first, last] = [partOf(key), partOf(value)];
  return first && { from: first.from, to: last?.to ?? first.to };
}

/** The keys of `nodes.r1.ospf` and `links[2].r1`, also without the words around them. */
const dottedPath = /\b[a-z_]+(?:\.[\w-]+|\[\d+\])+/g;
const named = /\b(node|group|vlan|vrf) (?:name )?["'`]?([A-Za-z_][\w-]*)/g;
const quoted = /'([\w.-]+)'/;

const keysOf = (path: string): readonly string[] =>
  path.split(/[.[\]]+/).filter((key) => key !== '' && key !== 'topology');

class Placed {
  readonly #yaml: Yaml;
  readonly #text: string;
  /** The part with the nodes: `topology` for containerlab, else everything. */
  readonly #top: unknown;
  readonly #lines: LineCounter;
  readonly #nodes: ReadonlyMap<string, Part>;
  readonly #links: readonly (Part | undefined)[];

  constructor(yaml: Yaml, text: string) {
    [this.#yaml, this.#text] = [yaml, text];
    this.#lines = new yaml.LineCounter();
    const options = {
      logLevel: 'silent',
      uniqueKeys: false,
      prettyErrors: false,
      lineCounter: this.#lines,
    } as const;
    const { contents } = yaml.parseDocument(text, options);
    const inner = yaml.isMap(contents) ? contents.get('topology', true) : undefined;
    const top = yaml.isMap(inner) ? inner : contents;
    this.#top = top;
    const [nodes, links] = ['nodes', 'links'].map((key) =>
      yaml.isMap(top) ? top.get(key, true) : undefined,
    );
    this.#nodes = new Map(this.#named(nodes));
    this.#links = yaml.isSeq(links) ? links.items.map(partOf) : [];
  }

  /** The entries of a map, or of a list of names. */
  #named(collection: unknown): readonly (readonly [string, Part])[] {
    const { isMap, isSeq, isScalar } = this.#yaml;
    const entries = isMap(collection)
      ? collection.items.map((pair) => [pair.key, partOfPair(pair)] as const)
      : isSeq(collection)
        ? collection.items.map((item) => [item, partOf(item)] as const)
        : [];
    return entries.flatMap(([key, part]) =>
      isScalar(key) && part !== undefined ? [[String(key.value), part] as const] : [],
    );
  }

  /** As far as there is something on the way; netlab reads a key with dots as one on each level. */
  #reached(keys: readonly string[], from: unknown = this.#top): Part | undefined {
    const { isMap, isSeq } = this.#yaml;
    if (isSeq(from) && /^\d+$/.test(keys[0] ?? '')) {
      const item: unknown = from.items[Number(keys[0]) - 1];
      return this.#reached(keys.slice(1), item) ?? partOf(item);
    }
    if (isMap(from))
      for (let length = keys.length; length > 0; length -= 1) {
        const key = keys.slice(0, length).join('.');
        const pair = from.items.find((one) => String(one.key) === key);
        if (pair) return this.#reached(keys.slice(length), pair.value) ?? partOf(pair.key);
      }
    return new Map(this.#named(from)).get(keys[0] ?? '');
  }

  /** With the names and the line that it says itself, or that follow from one another. */
  place(problem: TopologyProblem): TopologyProblem {
    const { message, line, column } = problem;
    const paths = [
      ...[...message.matchAll(dottedPath)].map(([path]) => keysOf(path)),
      ...[...message.matchAll(named)].map(([, kind, name = '']) => [`${kind}s`, name]),
    ].filter((keys) => this.#isThere(keys));
    const path = paths[0] ?? [];
    const node = paths.find(([first]) => first === 'nodes')?.[1];
    const link = Number(paths.find(([first]) => first === 'links')?.[1]);
    const about = { node: node ?? null, link: this.#links[link - 1] ? link : null };
    if (line !== null) return { ...problem, ...this.#around(about, line, column ?? this.#firstColumn(line)) };
    const attribute = quoted.exec(message)?.[1];
    const parts = [
      attribute === undefined || attribute.includes('.')
        ? undefined
        : this.#within([...path, attribute], path),
      this.#reached(path),
    ];
    const part = parts.find((one) => one !== undefined);
    const position = part && this.#lines.linePos(part.from);
    return { ...problem, ...about, line: position?.line ?? null, column: position?.col ?? null };
  }

  /** The one where its first key or value begins. */
  #firstColumn(line: number): number {
    const rest = this.#text.slice(this.#lines.lineStarts[line - 1] ?? this.#text.length);
    return (/^ *(?:- +)*/.exec(rest)?.[0].length ?? 0) + 1;
  }

  /** Whether the first two keys are; netlab may name an attribute that is missing. */
  #isThere([first = '', second]: readonly string[]): boolean {
    if (first === 'nodes') return this.#nodes.has(second ?? '');
    if (first === 'links') return this.#links[Number(second) - 1] !== undefined;
    const outer = this.#reached([first]);
    return (
      outer !== undefined && (second === undefined || this.#within([first, second], [first]) !== undefined)
    );
  }

  /** The attribute of a path, if it is there. */
  #within(keys: readonly string[], path: readonly string[]): Part | undefined {
    const [found, outer] = [this.#reached(keys), this.#reached(path)];
    return found?.from === outer?.from ? undefined : found;
  }

  #around(
    about: Pick<TopologyProblem, 'node' | 'link'>,
    line: number,
    column: number,
  ): Pick<TopologyProblem, 'node' | 'link'> {
    const offset = (this.#lines.lineStarts[line - 1] ?? Infinity) + column - 1;
    const isAround = (part: Part | undefined): boolean =>
      part !== undefined && part.from <= offset && offset <= part.to;
    const link = this.#links.findIndex(isAround) + 1;
    const node = [...this.#nodes].find(([, part]) => isAround(part))?.[0] ?? null;
    return { node: about.node ?? node, link: about.link ?? (link === 0 ? null : link) };
  }
}

/** The argument is what a lab CLI found in the topology. */
export const placedProblems: Form<readonly TopologyProblem[], readonly TopologyProblem[]> = {
  name: 'placed problems',
  maxBytes: 3 * maxParsedLength,
  besideBytes: 16 * 1024,
  read: async (bytes, problems) => {
    const text = bytes.toString('utf8');
    const yaml = await import('yaml');
    if (text.length > maxParsedLength || findTooDeep(text, yaml)) return problems;
    const placed = new Placed(yaml, text);
    return problems.map((problem) => placed.place(problem));
  },
};
