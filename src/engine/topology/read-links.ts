/** Reads `links` of a topology, in all forms that netlab accepts. */
import { didYouMean } from '../../lib/text/did-you-mean.ts';
import type { LinkType } from '../core/lab.ts';
import { addMissing, isMapping, quotesHint, type Mapping, type Reading } from './source.ts';
import { checkKeys, isAttribute, refusal, supportedAttributes } from './attributes.ts';
import type { Origin } from './findings.ts';
import { readPrefix, type PrefixRequest } from './read-named-prefixes.ts';
import { type AddressRequest } from './checked-network.ts';
import { identifierFormat, identifierHelp } from './identifier-format.ts';
import { checkValues, interfaceSchema, linkSchema } from './topology-schema.ts';

export interface InterfaceSpec {
  readonly node: string;
  readonly origin: Origin;
  readonly ipv4: AddressRequest | undefined;
  readonly ipv6: AddressRequest | undefined;
  readonly mtu: number | undefined;
}

/** A link as the topology describes it. */
export interface LinkSpec {
  /** The label that netlab uses: `links[3]`. */
  readonly label: string;
  readonly origin: Origin;
  readonly type: LinkType | undefined;
  readonly pool: string | undefined;
  readonly role: string | undefined;
  readonly mtu: number | undefined;
  readonly prefix: PrefixRequest | undefined;
  /** No prefix by default. */
  readonly unnumbered: boolean;
  readonly interfaces: readonly InterfaceSpec[];
}

interface Context extends Reading {
  readonly nodeNames: ReadonlySet<string>;
  readonly prefixes: ReadonlyMap<string, PrefixRequest>;
}

/** The label and the place of a link, for findings. */
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
    findings.error(place.origin, `${place.label}: the value of "${node}" must be a map or empty`);
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
    const sentence = `${place.label}: an end of a link must be a node, or a map with "node"`;
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
 * The ends of a link that is a map with nodes as keys. A key that could be a node or an attribute is a node, as in
 * netlab.
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

/** The attributes of a link; undefined for a disabled link. */
function withAttributes(
  attributes: Mapping,
  interfaces: readonly InterfaceSpec[],
  { label, origin, context }: Place & { readonly context: Context },
): LinkSpec | undefined {
  const values = checkValues(linkSchema, attributes, { ...context, where: label });
  const prefix =
    'prefix' in attributes
      ? readPrefix(attributes, { key: 'prefix', where: `${label}.prefix`, ...context })
      : undefined;
  if (values?.disable === true) return undefined;
  const { type, pool, role, mtu, unnumbered = false } = values ?? {};
  return { label, origin, type, pool, role, mtu, prefix, unnumbered, interfaces };
}

/** The ends of a link such as `a-b-c`. Every hyphen separates two nodes, so names with a hyphen need another form. */
function readText(text: string, place: Place, context: Context): InterfaceSpec[] {
  const names = text.split('-').map((name) => name.trim());
  return names.flatMap((node) => {
    if (context.nodeNames.has(node))
      return [{ node, origin: place.origin, ipv4: undefined, ipv6: undefined, mtu: undefined }];
    unknownNode(node, place, context);
    return [];
  });
}

/** Reads one link; `inherited` are the attributes of its group. */
function readLink(
  item: unknown,
  place: Place,
  { inherited, ...context }: Context & { readonly inherited?: Mapping },
): LinkSpec | undefined {
  const { source, findings } = context;
  const attributes = isMapping(item) ? attributesOf(item, context) : source.mapping();
  let interfaces: InterfaceSpec[];
  if (typeof item === 'string') interfaces = readText(item, place, context);
  else if (Array.isArray(item)) interfaces = readEnds(item, place, context);
  else if (isMapping(item)) {
    checkKeys('link', attributes, context);
    interfaces =
      'interfaces' in item ? readEnds(item['interfaces'], place, context) : readKeys(item, place, context);
  } else {
    findings.error(place.origin, `${place.label}: a link must be "a-b", [a, b], or a map`);
    return undefined;
  }
  if (inherited !== undefined) addMissing(attributes, inherited, source);
  return withAttributes(attributes, interfaces, { ...place, context });
}

const isLinkGroup = (item: unknown): item is Mapping =>
  isMapping(item) && ('group' in item || 'members' in item);

/** The attributes of a group that its members inherit; undefined if the group itself is wrong. */
function inheritedFrom(group: Mapping, place: Place, context: Context): Mapping | undefined {
  const { source, findings } = context;
  const { label, origin } = place;
  const before = findings.errorCount;
  const { group: name, members } = group;
  const attributes = attributesOf(group, context);
  checkKeys('link', attributes, context);
  if (typeof name !== 'string' || !identifierFormat.test(name))
    findings.error(
      'group' in group ? source.valueAt(group, 'group') : origin,
      `${label}: links with "members" are a group and need its name: group ${identifierHelp}`,
    );
  if (!Array.isArray(members) || members.length === 0)
    findings.error(origin, `${label}: a group of links needs "members", a list of links`);
  const ends =
    'interfaces' in group ? readEnds(group['interfaces'], place, context) : readKeys(group, place, context);
  if (ends.length > 0)
    findings.error(origin, `${label}: a group of links cannot have nodes; only its members can`);
  // Read here although each member has these attributes, so that an error is reported once.
  withAttributes(attributes, [], { ...place, context });
  return findings.errorCount > before ? undefined : attributes;
}

/** Reads links with common attributes (`netsim/augment/links.py`, expand_groups); the attributes of a member win. */
function readLinkGroup(group: Mapping, place: Place, context: Context): LinkSpec[] {
  const { source, findings } = context;
  const inherited = inheritedFrom(group, place, context);
  if (inherited === undefined || inherited['disable'] === true) return [];
  const members = group['members'] as unknown[];
  return members.flatMap((item, index) => {
    const label = `links[${String(group['group'])}][${index + 1}]`;
    const origin = source.valueAt(members, index);
    const before = findings.errorCount;
    if (isMapping(item))
      for (const key of ['group', 'members', 'disable'].filter((each) => each in item))
        findings.error(
          source.keyAt(item, key),
          `${label}: "${key}" cannot be in a member of a group of links; take the link out of the group`,
        );
    const links = readWhole(item, { label, origin }, { ...context, inherited });
    return findings.errorCount > before ? [] : links;
  });
}

/**
 * Leaves out the whole link if it has an error: without one of its ends, the link would have another type and other
 * addresses, and cause errors that are not in the file.
 */
function readWhole(item: unknown, place: Place, context: Context & { readonly inherited?: Mapping }) {
  const before = context.findings.errorCount;
  const link = readLink(item, place, context);
  return link === undefined || context.findings.errorCount > before ? [] : [link];
}

/** Reads a list of links, a map of such lists (netlab's way to group many links), or one link as text. */
function readGroup(given: unknown, place: Place, context: Context): LinkSpec[] {
  if (given === undefined || given === null) return [];
  if (typeof given === 'string') return readWhole(given, place, context);
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
    return isLinkGroup(item) ? readLinkGroup(item, inner, context) : readWhole(item, inner, context);
  });
}

/** The links in the order of the file, without disabled and wrong links; every error is reported. */
export function readLinks(context: Context): readonly LinkSpec[] {
  const { source } = context;
  const origin = source.valueAt(source.root, 'links');
  return readGroup(source.root['links'], { label: 'links', origin }, context);
}
