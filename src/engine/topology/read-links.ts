/** Reads `links` of a topology, in all the forms that netlab takes. */
import { didYouMean } from '../../lib/did-you-mean.ts';
import type { LinkType } from '../core/lab.ts';
import { checkKeys, isAttribute, refusal, supportedAttributes } from './attributes.ts';
import type { Origin } from './findings.ts';
import { readPrefix, type PrefixRequest } from './read-named-prefixes.ts';
import { isMapping, quotesHint, type Mapping, type Reading } from './source.ts';
import { checkValues, interfaceSchema, linkSchema, type AddressRequest } from './topology-schema.ts';

export interface InterfaceSpec {
  readonly node: string;
  readonly origin: Origin;
  readonly ipv4: AddressRequest | undefined;
  readonly ipv6: AddressRequest | undefined;
  readonly mtu: number | undefined;
}

/** A link as the topology describes it. */
export interface LinkSpec {
  /** As netlab calls it: `links[3]`. */
  readonly label: string;
  readonly origin: Origin;
  readonly type: LinkType | undefined;
  readonly pool: string | undefined;
  readonly role: string | undefined;
  readonly mtu: number | undefined;
  readonly prefix: PrefixRequest | undefined;
  readonly interfaces: readonly InterfaceSpec[];
}

interface Context extends Reading {
  readonly nodeNames: ReadonlySet<string>;
  readonly prefixes: ReadonlyMap<string, PrefixRequest>;
}

/** For findings about a link: what it is called, and where it stands. */
interface Place {
  readonly label: string;
  readonly origin: Origin;
}

function unknownNode(name: string, { label, origin }: Place, { findings, nodeNames }: Context): undefined {
  if (name === '') findings.error(origin, `${label}: an end of the link has no name`);
  else findings.error(origin, `${label}: there is no node "${name}"${didYouMean(name, nodeNames)}`);
}

function readInterface(
  node: string,
  given: unknown,
  place: Place,
  context: Context,
): InterfaceSpec | undefined {
  const { source, findings } = context;
  const data = given ?? source.mapping();
  if (!isMapping(data)) {
    findings.error(place.origin, `${place.label}: "${node}" must be followed by a map, or by nothing`);
    return undefined;
  }
  checkKeys('interface', data, context);
  const values = checkValues(interfaceSchema, data, { source, findings, where: `${place.label}.${node}` });
  return { node, origin: place.origin, ipv4: values?.ipv4, ipv6: values?.ipv6, mtu: values?.mtu };
}

/** One end in a list: a name, or a map with `node`. */
function readEnd(item: unknown, place: Place, context: Context): InterfaceSpec | undefined {
  const name = isMapping(item) ? item['node'] : item;
  if (typeof name !== 'string') {
    const sentence = `${place.label}: an end of a link is a node, or a map with "node"`;
    context.findings.error(place.origin, sentence + quotesHint(name));
    return undefined;
  }
  if (!context.nodeNames.has(name)) return unknownNode(name, place, context);
  return readInterface(name, isMapping(item) ? item : null, place, context);
}

function readEnds(list: unknown, place: Place, context: Context): InterfaceSpec[] {
  if (!Array.isArray(list)) {
    context.findings.error(place.origin, `${place.label}.interfaces must be a list`);
    return [];
  }
  return (list as unknown[]).flatMap((item, index) => {
    const end = readEnd(item, { ...place, origin: context.source.valueAt(list, index) }, context);
    return end === undefined ? [] : [end];
  });
}

/**
 * The ends of a link that is a map with nodes as keys. A key that could also be an attribute is a node, as in netlab.
 */
function readKeys(link: Mapping, { label }: Place, context: Context): InterfaceSpec[] {
  const { source, findings, nodeNames } = context;
  const ends: InterfaceSpec[] = [];
  for (const [key, value] of Object.entries(link)) {
    const origin = source.keyAt(link, key);
    if (nodeNames.has(key) && !source.isUnquoted(link, key)) {
      const end = readInterface(key, value, { label, origin }, context);
      if (end !== undefined) ends.push(end);
    } else if (!isAttribute('link', key) && !key.startsWith('_')) {
      const isQuotable = nodeNames.has(key) && source.isUnquoted(link, key);
      const hint = isQuotable
        ? quotesHint(true)
        : didYouMean(key, [...nodeNames, ...supportedAttributes('link')]);
      findings.error(origin, `${label}: "${key}" is neither a node nor an attribute of a link${hint}`);
    }
  }
  return ends;
}

/** The attributes of a link, without its ends and without keys that `readKeys` reports. */
function attributesOf(link: Mapping, { source, nodeNames }: Context): Mapping {
  const attributes = source.mapping();
  for (const [key, value] of Object.entries(link)) {
    const isElsewhere =
      'interfaces' in link ? key === 'interfaces' : nodeNames.has(key) || !isAttribute('link', key);
    if (isElsewhere) continue;
    source.put(attributes, key, value, { key: source.keyAt(link, key), value: source.valueAt(link, key) });
  }
  return attributes;
}

function readMapLink(link: Mapping, place: Place, context: Context): LinkSpec | undefined {
  const { source, findings } = context;
  const attributes = attributesOf(link, context);
  checkKeys('link', attributes, context);
  const values = checkValues(linkSchema, attributes, { source, findings, where: place.label });
  const interfaces =
    'interfaces' in link ? readEnds(link['interfaces'], place, context) : readKeys(link, place, context);
  const prefix =
    'prefix' in attributes
      ? readPrefix(attributes, { key: 'prefix', where: `${place.label}.prefix`, ...context })
      : undefined;
  if (values?.disable === true) return undefined;
  const { type, pool, role, mtu } = values ?? {};
  return { ...place, type, pool, role, mtu, prefix, interfaces };
}

function plainLink(place: Place, interfaces: readonly InterfaceSpec[]): LinkSpec {
  const none = { type: undefined, pool: undefined, role: undefined, mtu: undefined, prefix: undefined };
  return { ...place, ...none, interfaces };
}

/** A link such as `a-b-c`. Names with a hyphen need another form: here, every hyphen separates two nodes. */
function readTextLink(text: string, place: Place, context: Context): LinkSpec {
  const names = text.split('-').map((name) => name.trim());
  const ends = names.flatMap((node) => {
    if (context.nodeNames.has(node))
      return [{ node, origin: place.origin, ipv4: undefined, ipv6: undefined, mtu: undefined }];
    unknownNode(node, place, context);
    return [];
  });
  return plainLink(place, ends);
}

function readLink(item: unknown, place: Place, context: Context): LinkSpec | undefined {
  if (typeof item === 'string') return readTextLink(item, place, context);
  if (Array.isArray(item)) return plainLink(place, readEnds(item, place, context));
  if (isMapping(item)) return readMapLink(item, place, context);
  context.findings.error(place.origin, `${place.label}: a link is "a-b", [a, b], or a map`);
  return undefined;
}

/** Reads a list of links, a map of such lists (in netlab, groups of links with names), or one link as text. */
function readGroup(given: unknown, place: Place, context: Context): LinkSpec[] {
  if (given === undefined || given === null) return [];
  if (typeof given === 'string') return [readTextLink(given, place, context)];
  const { source, findings } = context;
  if (isMapping(given))
    return Object.entries(given).flatMap(([name, group]) => {
      const inner = { label: `${place.label}.${name}`, origin: source.keyAt(given, name) };
      if (Array.isArray(group) || isMapping(group) || typeof group === 'string')
        return readGroup(group, inner, context);
      findings.error(inner.origin, `${refusal('link', name)}: links must be a list, or a map of lists`);
      return [];
    });
  if (!Array.isArray(given)) {
    findings.error(place.origin, 'links must be a list, or a map of lists');
    return [];
  }
  return (given as unknown[]).flatMap((item, index) => {
    const inner = { label: `${place.label}[${index + 1}]`, origin: source.valueAt(given, index) };
    const errors = findings.errorCount;
    const link = readLink(item, inner, context);
    // A link with an error is left out as a whole: without one of its ends it would have another type and other
    // addresses, which would lead to errors that nobody made.
    return link === undefined || findings.errorCount > errors ? [] : [link];
  });
}

/** The links in the order of the file, without those that are disabled or wrong; every error is reported. */
export function readLinks(context: Context): readonly LinkSpec[] {
  const { source } = context;
  const origin = source.valueAt(source.root, 'links');
  return readGroup(source.root['links'], { label: 'links', origin }, context);
}
