/** The schemas of a topology's values, and the error sentences for wrong values. */
import * as z from 'zod';
import { covers, networkOf, parseAddress, parsePrefix, type Family, type Prefix } from '../../lib/net/ip.ts';
import { advice } from './attributes.ts';
import type { Origin } from './findings.ts';
import type { Reading, Source } from './source.ts';

/** The requested address of an interface, before the link has a prefix. */
export type AddressRequest =
  | { readonly kind: 'none' }
  /** The interface has no address of its own and uses the address of the loopback. */
  | { readonly kind: 'unnumbered' }
  | { readonly kind: 'host'; readonly index: bigint }
  | { readonly kind: 'address'; readonly bits: bigint }
  | { readonly kind: 'prefix'; readonly prefix: Prefix };

export type Allocation = 'p2p' | 'sequential' | 'id_based';

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

/** Reads `value`, or returns the error as a text. */
type Reader<T> = (value: unknown) => T | string;

/** Makes a schema from a reader: a text that the reader returns is the error. */
function read<T extends object | number | boolean>(reader: Reader<T>): z.ZodType<T> {
  return z.unknown().transform((value, context) => {
    const result = reader(value);
    if (typeof result !== 'string') return result;
    context.addIssue({ code: 'custom', message: result });
    return z.NEVER;
  });
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function checkedPrefix(text: unknown, family: Family | undefined): Prefix | string {
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

function addressRequest(value: unknown, family: Family): AddressRequest | string {
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

function network(family: Family): z.ZodType<Prefix | boolean> {
  return read<Prefix | boolean>((value) =>
    typeof value === 'boolean' ? value : checkedNetwork(value, family),
  );
}

/** netlab treats `false` as true here: it only checks whether the key exists. */
const unnumbered = z.literal(true, { error: 'must be true or absent' }).optional();

function hostPrefix(family: Family): z.ZodType<Prefix | boolean> {
  return read<Prefix | boolean>((value) =>
    typeof value === 'boolean' ? value : checkedPrefix(value, family),
  );
}

/** netlab also accepts a number in quotes (`netsim/data/types.py`, must_be_int). */
function integer(minimum: number, maximum: number): z.ZodType<number> {
  return read((value) => {
    const number = typeof value === 'string' && /^[0-9]{1,9}$/.test(value) ? Number(value) : value;
    return typeof number === 'number' && Number.isInteger(number) && number >= minimum && number <= maximum
      ? number
      : `must be a whole number from ${minimum} to ${maximum}, not ${shown(value)}`;
  });
}

const word = z.string({ error: ({ input }) => `must be a word, not ${shown(input)}` });

function oneOf<const T extends readonly [string, ...string[]]>(words: T): z.ZodType<T[number]> {
  const choice = words.join(', ');
  return z.enum(words, { error: ({ input }) => `must be one of ${choice}, not ${shown(input)}` });
}

/** One of `words`; the error distinguishes a value that only netlab supports (`others`) from a mistake. */
function supportedOf<const T extends readonly [string, ...string[]]>(
  words: T,
  others: readonly string[],
): z.ZodType<T[number]> {
  const choice = words.join(', ');
  return z.enum(words, {
    error: ({ input }) =>
      others.includes(input as string)
        ? `"${String(input)}" is a value of netlab that the bundled engine does not support; ${advice}`
        : `must be one of ${choice}, not ${shown(input)}`,
  });
}

/** The format of names in netlab (`netsim/data/types.py`, must_be_id). */
export const identifierFormat = /^[A-Za-z_][A-Za-z0-9_-]{0,15}$/;
export const identifierHelp =
  'must begin with a letter or an underscore and have at most 16 letters, digits, underscores and hyphens';

const allocation = oneOf(['p2p', 'sequential', 'id_based']);

export const headSchema = z.object({
  name: word
    .regex(identifierFormat, { error: ({ input }) => `${identifierHelp}, unlike ${shown(input)}` })
    .optional(),
  message: z.string({ error: 'must be text' }).optional(),
  provider: word.optional(),
});

/** The part of `defaults` that the engine uses. */
export const defaultsSchema = z.object({
  device: word.optional(),
  provider: word.optional(),
  const: z.object({ MAX_NODE_ID: integer(1, 65_535).optional() }, { error: 'must be a map' }).optional(),
  multilab: z.object({ id: integer(1, 200).optional() }, { error: 'must be a map' }).optional(),
});

/** The limits are netlab's. */
const mtu = integer(64, 9216);

/** A node; `idMax` is netlab's MAX_NODE_ID. */
export function nodeSchema(idMax: number) {
  return z.object({
    id: integer(1, idMax).optional(),
    device: word.optional(),
    role: supportedOf(['host', 'router', 'gateway'], ['bridge']).optional(),
    mtu: mtu.optional(),
  });
}

export const loopbackSchema = z.object({
  ipv4: hostPrefix('ipv4').optional(),
  ipv6: hostPrefix('ipv6').optional(),
  pool: word.optional(),
});

export const interfaceSchema = z.object({
  ipv4: read((value) => addressRequest(value, 'ipv4')).optional(),
  ipv6: read((value) => addressRequest(value, 'ipv6')).optional(),
  mtu: mtu.optional(),
});

export const linkSchema = z.object({
  type: supportedOf(['p2p', 'lan', 'stub', 'loopback'], ['tunnel', 'vlan_member']).optional(),
  pool: word.optional(),
  role: word.optional(),
  mtu: mtu.optional(),
  unnumbered,
  disable: z.boolean({ error: 'must be true or false' }).optional(),
});

export const prefixSchema = z.object({
  ipv4: network('ipv4').optional(),
  ipv6: network('ipv6').optional(),
  allocation: allocation.optional(),
  pool: word.optional(),
});

export const poolSchema = z.object({
  ipv4: network('ipv4').optional(),
  ipv6: network('ipv6').optional(),
  prefix: integer(1, 32).optional(),
  prefix6: integer(1, 128).optional(),
  unnumbered,
  allocation: allocation.optional(),
});

function issueOrigin(source: Source, map: object, path: readonly PropertyKey[]): Origin {
  let container: unknown = map;
  for (const key of path.slice(0, -1)) {
    const inner: unknown = (container as Record<PropertyKey, unknown>)[key];
    if (typeof inner !== 'object' || inner === null) break;
    container = inner;
  }
  return source.valueAt(container as object, String(path.at(-1)));
}

/**
 * Parses `map` with the schema. Reports every error at its value, under the name `where.key`; the result is then
 * undefined.
 */
export function checkValues<T>(
  schema: z.ZodType<T>,
  map: object,
  { source, findings, where }: Reading & { readonly where: string },
): T | undefined {
  const result = schema.safeParse(map);
  if (result.success) return result.data;
  for (const { path, message } of result.error.issues) {
    const name = [where, ...path.map(String)].filter((part) => part !== '').join('.');
    findings.error(issueOrigin(source, map, path), `${name} ${message}`);
  }
  return undefined;
}
