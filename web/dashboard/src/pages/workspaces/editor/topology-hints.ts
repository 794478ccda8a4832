/** Hints for a position in a topology: the possible keys and values, and the meaning of a key. */
import { supportedAttributes, type AttributeKind } from '../../../../../../src/engine/topology/attributes.ts';
import type { Format } from '../../../parts/drawing/drawing.ts';
import { devices, kinds, modules, plugins } from '../../../parts/topology/topology-words.ts';
import schemas from './lab-schemas.json' with { type: 'json' };
import { docOf } from './topology-docs.ts';
import { isInComment, keyPathAt, keysBelow, placeAt } from './topology-place.ts';

export interface Hint {
  readonly label: string;
  readonly kind: 'key' | 'value';
  readonly doc: string;
}

/** The file, and names from outside its text. */
export interface Surroundings {
  readonly format: Format;
  /** Nodes of the last text that was valid, in all notations. */
  readonly nodes: readonly string[];
  /** Devices of the templates of this server, which may be custom devices. */
  readonly devices: readonly string[];
}

/** A part of lab-schemas.json: scripts/schema-hints/parts.mjs describes it. */
interface PartMap {
  readonly keys?: Parts;
  readonly each?: Part;
  readonly key?: Part;
  readonly item?: Part;
  readonly values?: readonly string[];
  readonly names?: readonly string[];
}

type Part = string | PartMap;
type Parts = Readonly<Record<string, Part>>;

/** A part with its name; the name of a part inside another one is that of the other one and its key. */
interface Named {
  readonly name: string;
  readonly part: PartMap;
}

const parts: Readonly<Record<Format, Parts>> = schemas;
const roots: Readonly<Record<Format, string>> = { netlab: 'global', containerlab: 'topology' };

/** Users choose names of keys, such as `constructor`. */
const ownIn = (map: Parts | undefined, key: string): Part | undefined =>
  map && Object.hasOwn(map, key) ? map[key] : undefined;

function named(format: Format, part: Part, name: string): Named {
  if (typeof part !== 'string') return { name, part };
  const next = ownIn(parts[format], part);
  return next === undefined ? { name: part, part: {} } : named(format, next, part);
}

/** The part at the position below these keys; undefined when there is none. */
export function partAt(format: Format, path: readonly string[]): Named | undefined {
  let found = named(format, roots[format], '');
  for (const key of path) {
    const { name, part } = found;
    const next = key === '[]' ? part.item : (ownIn(part.keys, key) ?? part.each);
    if (next === undefined) return undefined;
    found = named(format, next, `${name}.${key}`);
  }
  return found;
}

const engineKinds: Readonly<Record<string, AttributeKind>> = {
  global: 'topology',
  node: 'node',
  node_group: 'group',
  loopback: 'loopback',
  pool: 'pool',
  _prefix: 'prefix',
  link: 'link',
  interface: 'interface',
};

/** A note that the bundled engine does not support a key; empty when it does, or when that is unknown. */
function engineNote(part: string, key: string): string {
  const kind = Object.hasOwn(engineKinds, part) ? engineKinds[part] : undefined;
  const isKnown = kind === undefined || key.startsWith('_') || key === 'interfaces';
  return isKnown || supportedAttributes(kind).includes(key)
    ? ''
    : ' Only for netlab: the bundled engine ignores or refuses it.';
}

/** The form of a value, for keys without a sentence. */
function formOf({ name, part }: Named): string {
  if (part.values)
    return `One of: ${part.values.slice(0, 8).join(', ')}${part.values.length > 8 ? ', …' : ''}.`;
  if (part.keys ?? part.each) return 'A map.';
  if (part.item !== undefined) return 'A list.';
  return name === '' || part.names ? '' : `Type: ${name}.`;
}

/** The meaning of a key of this part. */
function meaning(format: Format, { name, part }: Named, key: string): string {
  const below = ownIn(part.keys, key);
  const sentence = format === 'netlab' ? docOf(name, key) : '';
  if (below === undefined) return sentence;
  const note = format === 'netlab' ? engineNote(name, key) : '';
  return (sentence || formOf(named(format, below, ''))) + note;
}

const described: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  device: devices,
  module: modules,
  plugin: Object.fromEntries(plugins.map((name) => [name, 'a plugin of netlab'])),
  kind: kinds,
  'node-config.kind': kinds,
};

interface Context extends Surroundings {
  readonly text: string;
}

/** The names that the file itself gives, by the paths of their maps. */
function namesAt(paths: readonly string[], { format, nodes, text }: Context): string[] {
  const found = paths.flatMap((path) => keysBelow(text, path.split('.')));
  return paths.includes('nodes') && format === 'netlab' ? [...nodes, ...found] : found;
}

function valuesOf({ name, part }: Named, context: Context): Hint[] {
  const words = Object.hasOwn(described, name) ? described[name] : undefined;
  const docs = new Map<string, string>();
  for (const label of part.values ?? []) docs.set(label, '');
  for (const label of namesAt(part.names ?? [], context)) docs.set(label, 'named in this file');
  if (name === 'device')
    for (const label of context.devices.toSorted()) docs.set(label, 'used by a template of this server');
  for (const [label, doc] of Object.entries(words ?? {})) docs.set(label, doc);
  return [...docs].map(([label, doc]) => ({ label, kind: 'value', doc }));
}

function keysOf(at: Named, context: Context): Hint[] {
  const { format } = context;
  const { key, keys = {} } = at.part;
  const possible = key === undefined ? [] : valuesOf(named(format, key, ''), context);
  return [
    ...possible.map((hint): Hint => ({ ...hint, kind: 'key' })),
    ...Object.keys(keys).map((label): Hint => ({ label, kind: 'key', doc: meaning(format, at, label) })),
  ];
}

/** In a link such as `r1-r2`, the typed part stands for one node. */
const partialLink = ({ name }: Named, from: number, word: string): number =>
  name === 'link' ? from + word.lastIndexOf('-') + 1 : from;

/** The possible words at `offset`, and the beginning of the word that they replace. */
export function hintsAt(
  text: string,
  offset: number,
  around: Surroundings,
): { readonly from: number; readonly hints: readonly Hint[] } {
  const { format } = around;
  if (isInComment(text, offset)) return { from: offset, hints: [] };
  const { path, kind, from, word } = placeAt(text, offset);
  // `defaults.de` is typed for a key below `defaults`.
  const above = kind === 'key' ? word.split('.').slice(0, -1) : [];
  const at = partAt(format, [...path, ...above]);
  // Behind a colon without a space is the rest of a word, such as an interface of containerlab.
  if (at === undefined || text[from - 1] === ':') return { from, hints: [] };
  const context = { ...around, text };
  if (kind === 'key') return { from: from + word.lastIndexOf('.') + 1, hints: keysOf(at, context) };
  const values = valuesOf(at, context);
  if (kind === 'value') {
    // netlab takes one value for a list.
    const one =
      format === 'netlab' && at.part.item !== undefined ? named(format, at.part.item, '') : undefined;
    return { from, hints: one ? [...values, ...valuesOf(one, context)] : values };
  }
  const start = partialLink(at, from, word);
  const keys = start === from ? keysOf(at, context) : [];
  return {
    from: start,
    hints: [...values, ...keys.filter(({ label }) => !values.some((one) => one.label === label))],
  };
}

/** The meaning of the key at `offset`; undefined when it is unknown. */
export function docAt(
  text: string,
  offset: number,
  format: Format,
): { readonly key: string; readonly doc: string } | undefined {
  const path = keyPathAt(text, offset);
  const key = path?.at(-1);
  const at = path && partAt(format, path.slice(0, -1));
  if (path === undefined || key === undefined || at === undefined) return undefined;
  const doc = meaning(format, at, key);
  return doc === '' ? undefined : { key: path.filter((part) => part !== '[]').join('.'), doc };
}
