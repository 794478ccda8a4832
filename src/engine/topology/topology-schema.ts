/** The schemas of a topology's values, and the error sentences for wrong values. */
import * as z from 'zod';
import type { Family, Prefix } from '../../lib/net/ip.ts';
import { advice } from './attributes.ts';
import { addressRequest, checkedNetwork, checkedPrefix, shown } from './checked-network.ts';
import type { Origin } from './findings.ts';
import { identifierFormat, identifierHelp } from './identifier-format.ts';
import type { Reading, Source } from './source.ts';

export type Allocation = 'p2p' | 'sequential' | 'id_based';

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
