/** Reads what a user searches for in labs. */
import {
  formatAddress,
  formatPrefix,
  networkOf,
  parsePrefix,
  widthOf,
  type Prefix,
} from '../../lib/net/ip.ts';
import { harmful } from '../../lib/text/harmless-text.ts';

export const queryKinds = ['address', 'prefix', 'as', 'module', 'device', 'name'] as const;

export type SearchQuery =
  /** `text` is canonical: `2001:db8::1`, `10.1.0.0/16`. */
  | { readonly kind: 'address' | 'prefix'; readonly text: string; readonly network: Prefix }
  /** An autonomous system; with `name`, nodes and labs with this in their names match, too. */
  | { readonly kind: 'as'; readonly text: string; readonly as: number; readonly name: string | undefined }
  /** In lower case. */
  | { readonly kind: 'module' | 'device' | 'name'; readonly text: string };

/** In characters. */
export const maxQuery = 200;
const maxAs = 0xffff_ffff;

/** How to ask, for those who have asked wrongly. */
const ways =
  'give an address (10.1.0.5, 2001:db8::1), a prefix (10.1.0.0/16), as:65001, module:ospf, device:frr, or a part of a name';

/** `::ffff:10.1.0.5` is 10.1.0.5 (RFC 4291, 2.5.5.2). */
function unmapped(prefix: Prefix): Prefix {
  const { family, bits, length } = prefix;
  if (family === 'ipv4' || length < 96 || bits >> 32n !== 0xffffn) return prefix;
  return { family: 'ipv4', bits: bits & 0xffff_ffffn, length: length - 96 };
}

/** An address with or without a prefix length; undefined for anything else. */
export function prefixOf(text: string): Prefix | undefined {
  const width = widthOf(text.includes(':') ? 'ipv6' : 'ipv4');
  const prefix = parsePrefix(text.includes('/') ? text : `${text}/${width}`);
  return prefix && unmapped(prefix);
}

/** Why a text that looks like an address or a prefix is none. */
function mistakeIn(text: string): string {
  const shown = `"${text}"`;
  if (text.includes('%')) return `${shown} has a zone: leave out what follows the %`;
  const [address = '', length] = text.split('/');
  if (length === undefined || prefixOf(address) === undefined)
    return `${shown} is no address or prefix: ${ways}`;
  const family = address.includes(':') ? 'ipv6' : 'ipv4';
  return `${shown} has no prefix length from 0 to ${widthOf(family)} after the /`;
}

function addressQuery(text: string): SearchQuery | string {
  const given = prefixOf(text);
  if (given === undefined) return mistakeIn(text);
  // Of the address of an interface, `10.1.0.1/30`, it is the network.
  const network = networkOf(given);
  if (text.includes('/')) return { kind: 'prefix', text: formatPrefix(network), network };
  return { kind: 'address', text: formatAddress(network.bits, network.family), network };
}

/** A number, or two with a dot as in RFC 5396; undefined when it is none. */
function asNumber(text: string): number | undefined {
  const [, high = '0', low = ''] = /^(?:(\d{1,5})\.)?(\d{1,10})$/.exec(text) ?? [];
  if (low === '') return undefined;
  if (!text.includes('.')) return Number(low) <= maxAs ? Number(low) : undefined;
  return Math.max(Number(high), Number(low)) <= 0xffff ? Number(high) * 65_536 + Number(low) : undefined;
}

function asQuery(text: string, name?: string): SearchQuery | undefined {
  const as = asNumber(text);
  return as === undefined ? undefined : { kind: 'as', text: String(as), as, name };
}

function namedQuery(key: string, rest: string): SearchQuery | string {
  if (rest === '') return `must have a word after "${key}:", such as ${key === 'as' ? '65001' : 'frr'}`;
  switch (key) {
    case 'as':
      return asQuery(rest) ?? `"${rest}" is no AS number: give one from 0 to ${maxAs}, such as as:65001`;
    case 'module':
    case 'device':
      return { kind: key, text: rest };
    default:
      return `there is no search for "${key}:"; ${ways}`;
  }
}

/** The query, or why it is none, with what to do. */
export function readSearch(given: string): SearchQuery | string {
  const text = given.trim().toLowerCase();
  if (text === '') return `must not be empty: ${ways}`;
  if (text.length > maxQuery) return `must not be over ${maxQuery} characters: ${ways}`;
  if (text.search(harmful) !== -1) return `must not have control characters: ${ways}`;
  // An address without a prefix length may have a zone of any letters.
  if (/^[\d.]*\.[\d.]*([%/].*)?$/.test(text) || /^[\da-f.]*:[\da-f:.]*([%/].*)?$/.test(text))
    return addressQuery(text);
  const [, key, rest = ''] = /^([^:]*):(.*)$/.exec(text) ?? [];
  if (key !== undefined) return namedQuery(key.trim(), rest.trim());
  const as = text.startsWith('as') ? asQuery(text.slice(2).trim(), text) : undefined;
  return as ?? { kind: 'name', text };
}
