/** Hints for a position in a topology: the possible keys and values, and the meaning of a key. */
import { supportedAttributes, type AttributeKind } from '../../../../../../src/engine/topology/attributes.ts';
import { topologyInfo, type KeyInfo, type Values } from '../../../parts/topology/topology-keys.ts';
import { keyPathAt, placeAt } from './topology-place.ts';
import { devices, modules, plugins, providers } from '../../../parts/topology/topology-words.ts';

export interface Hint {
  readonly label: string;
  readonly kind: 'key' | 'value';
  readonly doc: string;
}

/** Names from outside the text. */
export interface Surroundings {
  readonly nodes: readonly string[];
  /** Devices of the templates of this server, which may be custom devices. */
  readonly devices: readonly string[];
}

/** The description of the position below these keys; undefined when there is none. */
export function infoAt(path: readonly string[]): KeyInfo | undefined {
  let info: KeyInfo | undefined = topologyInfo;
  for (const key of path) info = key === '[]' ? info?.item : (info?.keys?.[key] ?? info?.each);
  return info;
}

/** The kind of the map below these keys for the bundled engine. */
function engineKind(path: readonly string[]): AttributeKind | undefined {
  const [first, second] = path;
  if (first === undefined) return 'topology';
  if (path.length === 3 && first === 'nodes' && path[2] === 'loopback') return 'loopback';
  if (path.length !== 2) return undefined;
  const kinds: Readonly<Record<string, AttributeKind>> = {
    nodes: 'node',
    groups: 'group',
    addressing: 'pool',
    prefix: 'prefix',
    links: 'link',
  };
  return first === 'links' && second !== '[]' ? undefined : kinds[first];
}

/** A note that the bundled engine does not support a key; empty when it does, or when that is unknown. */
function engineNote(path: readonly string[], key: string): string {
  const kind = engineKind(path);
  if (kind === undefined || key.startsWith('_')) return '';
  // In the map of a link, nodes are keys too.
  const isKnown = infoAt(path)?.keys?.[key] !== undefined && key !== 'interfaces';
  return isKnown && !supportedAttributes(kind).includes(key)
    ? ' Only for netlab: the bundled engine ignores or refuses it.'
    : '';
}

const plain = (labels: readonly string[], doc: string): Hint[] =>
  labels.map((label) => ({ label, kind: 'value', doc }));

function valuesOf(values: Values | undefined, { nodes, devices: further }: Surroundings): Hint[] {
  const described = (docs: Readonly<Record<string, string>>): Hint[] =>
    Object.entries(docs).map(([label, doc]) => ({ label, kind: 'value', doc }));
  switch (values) {
    case undefined:
      return [];
    case 'device': {
      const own = further.filter((label) => !(label in devices)).toSorted();
      return [...described(devices), ...plain(own, 'used by a template of this server')];
    }
    case 'module':
      return described(modules);
    case 'node':
      return plain(nodes, 'a node of this lab');
    case 'plugin':
      return plain(plugins, 'a plugin of netlab');
    case 'provider':
      return plain(providers, 'a provider');
    case 'boolean':
      return plain(['true', 'false'], '');
    default:
      return plain(values, '');
  }
}

function keysOf(path: readonly string[], around: Surroundings): Hint[] {
  const info = infoAt(path);
  const own = Object.entries(info?.keys ?? {}).map(([label, { doc }]): Hint => ({
    label,
    kind: 'key',
    doc: doc + engineNote(path, label),
  }));
  const isLink = path.at(-1) === '[]' && path[0] === 'links';
  const nodes = isLink ? around.nodes : [];
  return [...nodes.map((label): Hint => ({ label, kind: 'key', doc: 'a node of this lab' })), ...own];
}

/** In a link such as `r1-r2`, the typed part stands for one node. */
function partialLink(path: readonly string[], from: number, word: string): number {
  return path[0] === 'links' && word.includes('-') ? from + word.lastIndexOf('-') + 1 : from;
}

/** The possible words at `offset`, and the beginning of the word that they replace. */
export function hintsAt(
  text: string,
  offset: number,
  around: Surroundings,
): { readonly from: number; readonly hints: readonly Hint[] } {
  const { path, kind, from, word } = placeAt(text, offset);
  // `defaults.de` is typed for a key below `defaults`.
  const above = kind === 'value' ? [] : word.split('.').slice(0, -1);
  const dotted = kind === 'value' ? from : from + word.lastIndexOf('.') + 1;
  const whole = [...path, ...above];
  const values = valuesOf(infoAt(whole)?.values, around);
  if (kind === 'key') return { from: dotted, hints: keysOf(whole, around) };
  if (kind === 'value') return { from, hints: values };
  const start = partialLink(path, from, word);
  return { from: start, hints: [...values, ...(start === from && word === '' ? keysOf(path, around) : [])] };
}

/** The meaning of the key at `offset`; undefined when it is unknown. */
export function docAt(
  text: string,
  offset: number,
): { readonly key: string; readonly doc: string } | undefined {
  const path = keyPathAt(text, offset);
  const key = path?.at(-1);
  if (path === undefined || key === undefined) return undefined;
  const info = infoAt(path);
  return (
    info && {
      key: path.filter((part) => part !== '[]').join('.'),
      doc: info.doc + engineNote(path.slice(0, -1), key),
    }
  );
}
