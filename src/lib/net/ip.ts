/** Addresses and prefixes of both families: parsing, formatting, comparing. Independent of labs. */

export type Family = 'ipv4' | 'ipv6';

/** An address with a prefix length; `bits` keeps the host part. */
export interface Prefix {
  readonly family: Family;
  readonly bits: bigint;
  readonly length: number;
}

export const families: readonly Family[] = ['ipv4', 'ipv6'];

const widths: Record<Family, number> = { ipv4: 32, ipv6: 128 };

/** Bits in an address: 32 or 128. */
export function widthOf(family: Family): number {
  return widths[family];
}

// No leading zeros: some programs read them as octal (RFC 6943, 3.1.1), and netlab refuses them.
const octet = '(0|[1-9][0-9]{0,2})';
const ipv4Pattern = new RegExp(`^${octet}\\.${octet}\\.${octet}\\.${octet}$`);

function parseIpv4(text: string): bigint | undefined {
  const found = ipv4Pattern.exec(text);
  if (found === null) return undefined;
  const octets = found.slice(1).map(Number);
  if (octets.some((value) => value > 255)) return undefined;
  return BigInt(octets.reduce((bits, value) => bits * 256 + value, 0));
}

/** The groups of one side of `::`; an IPv4 address at the end counts as two. */
function parseGroups(text: string): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1 && part.includes('.')) {
      const embedded = parseIpv4(part);
      if (embedded === undefined) return undefined;
      groups.push(Number(embedded >> 16n), Number(embedded & 0xffffn));
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

function parseIpv6(text: string): bigint | undefined {
  const sides = text.split('::');
  if (sides.length > 2) return undefined;
  const head = parseGroups(sides[0] ?? '');
  const tail = parseGroups(sides[1] ?? '');
  if (head === undefined || tail === undefined) return undefined;
  // Only the last 32 bits can be written as an IPv4 address.
  if (sides.length === 2 && (sides[0] ?? '').includes('.')) return undefined;
  const missing = 8 - head.length - tail.length;
  if (sides.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array<number>(missing).fill(0), ...tail];
  return groups.reduce((bits, group) => bits * 65536n + BigInt(group), 0n);
}

/** The bits of an address without prefix length; undefined when it is not one of this family. */
export function parseAddress(text: string, family: Family): bigint | undefined {
  return family === 'ipv4' ? parseIpv4(text) : parseIpv6(text);
}

/** An address with prefix length, of either family; the host part is kept. Undefined when it is not one. */
export function parsePrefix(text: string): Prefix | undefined {
  const found = /^([^/]+)\/(0|[1-9][0-9]{0,2})$/.exec(text);
  if (found === null) return undefined;
  const [, address = '', lengthText = ''] = found;
  const family: Family = address.includes(':') ? 'ipv6' : 'ipv4';
  const bits = parseAddress(address, family);
  const length = Number(lengthText);
  if (bits === undefined || length > widthOf(family)) return undefined;
  return { family, bits, length };
}

/** How many addresses a prefix has, its network and broadcast address included. */
export function addressCount(prefix: Prefix): bigint {
  return 1n << BigInt(widthOf(prefix.family) - prefix.length);
}

/** The prefix without its host part. */
export function networkOf(prefix: Prefix): Prefix {
  const hostBits = BigInt(widthOf(prefix.family) - prefix.length);
  return { ...prefix, bits: (prefix.bits >> hostBits) << hostBits };
}

/** Whether every address of `inner` is in `outer`. */
export function covers(outer: Prefix, inner: Prefix): boolean {
  if (outer.family !== inner.family || outer.length > inner.length) return false;
  const hostBits = BigInt(widthOf(outer.family) - outer.length);
  return outer.bits >> hostBits === inner.bits >> hostBits;
}

/** How many leading bits two prefixes have in common, at most the shorter length. */
export function commonLength(one: Prefix, other: Prefix): number {
  const difference = one.bits ^ other.bits;
  const equal = difference === 0n ? Infinity : widthOf(one.family) - difference.toString(2).length;
  return Math.min(equal, one.length, other.length);
}

/** Sorts by address, and a prefix before those it covers. */
export function comparePrefixes(one: Prefix, other: Prefix): number {
  if (one.bits !== other.bits) return one.bits < other.bits ? -1 : 1;
  return one.length - other.length;
}

function formatIpv4(bits: bigint): string {
  const value = Number(bits);
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
}

/**
 * Canonical text (RFC 5952, section 4): lower case, no leading zeros, `::` for the first longest run of two or more
 * zeros.
 */
function formatIpv6(bits: bigint): string {
  const hex = bits.toString(16).padStart(32, '0');
  const groups = (hex.match(/.{4}/g) ?? []).map((group) => Number.parseInt(group, 16).toString(16));
  let best = { start: 0, length: 1 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== '0') start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  }
  if (best.length < 2) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}

/** Canonical text of an address. */
export function formatAddress(bits: bigint, family: Family): string {
  return family === 'ipv4' ? formatIpv4(bits) : formatIpv6(bits);
}

/** Canonical text with prefix length. */
export function formatPrefix(prefix: Prefix): string {
  return `${formatAddress(prefix.bits, prefix.family)}/${prefix.length}`;
}
