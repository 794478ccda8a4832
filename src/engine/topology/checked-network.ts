/** Checks addresses and prefixes of a topology, with a sentence for each error. Without zod: the page uses it too. */
import { covers, networkOf, parseAddress, parsePrefix, type Family, type Prefix } from '../../lib/net/ip.ts';
import { advice } from './attributes.ts';

/** The requested address of an interface, before the link has a prefix. */
export type AddressRequest =
  | { readonly kind: 'none' }
  /** The interface has no address of its own and uses the address of the loopback. */
  | { readonly kind: 'unnumbered' }
  | { readonly kind: 'host'; readonly index: bigint }
  | { readonly kind: 'address'; readonly bits: bigint }
  | { readonly kind: 'prefix'; readonly prefix: Prefix };

/** Prefixes that no interface may have, as in netlab (`netsim/data/types.py`, RESERVED_PREFIXES). */
const reserved = [
  { range: parsePrefix('0.0.0.0/8'), name: 'local range 0.0.0.0/8' },
  { range: parsePrefix('127.0.0.0/8'), name: 'loopback range 127.0.0.0/8' },
  { range: parsePrefix('224.0.0.0/4'), name: 'multicast range 224.0.0.0/4' },
  { range: parsePrefix('240.0.0.0/4'), name: 'class E range 240.0.0.0/4' },
  { range: parsePrefix('::1/128'), name: 'loopback range ::1/128' },
  { range: parsePrefix('ff00::/8'), name: 'multicast range ff00::/8' },
];

const familyNames: Record<Family, string> = { ipv4: 'IPv4', ipv6: 'IPv6' };

/** Names the reserved range that contains the prefix; undefined if there is none. */
export function reservedRange(prefix: Prefix): string | undefined {
  return reserved.find(({ range }) => range !== undefined && covers(range, prefix))?.name;
}

export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** A prefix, or the error as a text. */
export function checkedPrefix(text: unknown, family: Family | undefined): Prefix | string {
  const what = family === undefined ? 'an IPv4 or IPv6' : `an ${familyNames[family]}`;
  const prefix = typeof text === 'string' ? parsePrefix(text) : undefined;
  if (prefix === undefined || (family !== undefined && prefix.family !== family))
    return `must be ${what} prefix such as ${family === 'ipv6' ? '2001:db8::/64' : '10.9.0.0/24'}, not ${shown(text)}`;
  const range = reservedRange(prefix);
  return range === undefined ? prefix : `${shown(text)} is in the ${range}, which no interface may use`;
}

/** The prefix of a pool or of a link, or the error as a text: a prefix must not have host bits. */
export function checkedNetwork(text: unknown, family?: Family): Prefix | string {
  const prefix = checkedPrefix(text, family);
  if (typeof prefix === 'string' || networkOf(prefix).bits === prefix.bits) return prefix;
  return `${shown(text)} has host bits set; in a prefix, they must be zero`;
}

/** The address of an interface, or the error as a text. */
export function addressRequest(value: unknown, family: Family): AddressRequest | string {
  if (value === false) return { kind: 'none' };
  if (value === true) return { kind: 'unnumbered' };
  if (value === 'dhcp') return `must not be dhcp, which the bundled engine does not support; ${advice}`;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    return { kind: 'host', index: BigInt(value) };
  if (typeof value === 'string' && value.includes('/')) {
    const prefix = checkedPrefix(value, family);
    return typeof prefix === 'string' ? prefix : { kind: 'prefix', prefix };
  }
  const bits = typeof value === 'string' ? parseAddress(value, family) : undefined;
  if (bits !== undefined) return { kind: 'address', bits };
  return `must be an ${familyNames[family]} address, a host number or false, not ${shown(value)}`;
}
