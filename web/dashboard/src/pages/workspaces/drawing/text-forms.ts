/** How values of a topology are shown as text in a field, and read again from what a user types. */
import {
  addressRequest,
  checkedNetwork,
  checkedPrefix,
} from '../../../../../../src/engine/topology/checked-network.ts';
import { identifierFormat } from '../../../../../../src/engine/topology/identifier-format.ts';
import { isMapping, type Mapping } from '../../../../../../src/engine/topology/source.ts';
import {
  formatPrefix,
  networkOf,
  parsePrefix,
  type Family,
  type Prefix,
} from '../../../../../../src/lib/net/ip.ts';

/** A message follows the label of its field. */
export type Parsed =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'problem'; readonly message: string };

export interface TextForm {
  /** The text of a value; undefined for a value that does not fit into a field, which then only the text editor changes. */
  readonly textOf: (value: unknown) => string | undefined;
  /** The value that a text stands for. Never asked for an empty text, which removes the value. */
  readonly read: (text: string, before: unknown) => Parsed;
}

const valueOf = (value: unknown): Parsed => ({ kind: 'value', value });
const problemOf = (message: string): Parsed => ({ kind: 'problem', message });

function scalarText(value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value.includes('\n') ? undefined : value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

/** Words for booleans: `none` for false. */
const withWords = (words: Readonly<Record<string, boolean>>) => ({
  textOf: (value: unknown): string | undefined =>
    Object.entries(words).find(([, meant]) => meant === value)?.[0],
  read: (text: string): Parsed | undefined =>
    text in words ? valueOf(words[text]) : text === 'false' ? valueOf(false) : undefined,
});

export const line: TextForm = { textOf: scalarText, read: (text) => valueOf(text) };

/** A list of texts, one in each line. */
export const lines: TextForm = {
  textOf: (value) => {
    const list = Array.isArray(value) ? (value as unknown[]) : [value];
    const texts = list.map(scalarText);
    return texts.includes(undefined) ? undefined : texts.join('\n');
  },
  read: (text) => {
    const list = text.split('\n').map((one) => one.trim());
    return valueOf(list.filter((one) => one !== ''));
  },
};

export const word: TextForm = {
  textOf: scalarText,
  read: (text) => (/\s/.test(text) ? problemOf('must not have spaces') : valueOf(text)),
};

/** An interface of containerlab stands behind a colon. */
export const interfaceName: TextForm = {
  textOf: scalarText,
  read: (text) => (/[\s:]/.test(text) ? problemOf('must not have spaces or colons') : valueOf(text)),
};

export const wholeNumber = (minimum: number, maximum: number): TextForm => ({
  textOf: scalarText,
  read: (text) => {
    const number = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
    return number >= minimum && number <= maximum
      ? valueOf(number)
      : problemOf(`must be a whole number from ${minimum} to ${maximum}`);
  },
});

const asMax = 4_294_967_295;

/** The dotted notation (RFC 5396) stays a text. */
export const asNumber: TextForm = {
  textOf: scalarText,
  read: (text) => {
    const dotted = /^([0-9]{1,5})\.([0-9]{1,5})$/.exec(text);
    if (dotted?.slice(1).every((part) => Number(part) <= 65_535)) return valueOf(text);
    const number = /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
    return number >= 1 && number <= asMax
      ? valueOf(number)
      : problemOf(`must be a whole number from 1 to ${asMax}, or two numbers with a dot such as 1.10`);
  },
};

/** The IPv4 and IPv6 prefix of a map, or of a text that stands for the former; undefined when a field cannot show them. */
function prefixTexts(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return [value];
  if (!isMapping(value)) return undefined;
  const texts = [value['ipv4'], value['ipv6']].filter((one) => one !== undefined && one !== null);
  return texts.every((one) => typeof one === 'string') ? texts : undefined;
}

interface PrefixRules {
  readonly words: Readonly<Record<string, boolean>>;
  readonly check: (text: string) => Prefix | string;
  /** Whether a single word can be the name of a prefix, and IPv4 alone needs no map. */
  readonly isOfLink: boolean;
}

/** Other entries of the map stay, such as `allocation`. */
function mapOf(prefixes: Readonly<Partial<Record<Family, string>>>, before: unknown): Mapping {
  const { ipv4: _, ipv6: __, ...others } = isMapping(before) ? before : {};
  return { ...prefixes, ...others };
}

function readPrefixes(text: string, before: unknown, { check, isOfLink }: PrefixRules): Parsed {
  const words = text.split(/[\s,]+/).filter((one) => one !== '');
  if (isOfLink && words.length === 1 && identifierFormat.test(text)) return valueOf(text);
  const found: Partial<Record<Family, string>> = {};
  for (const one of words) {
    const prefix = check(one);
    if (typeof prefix === 'string') return problemOf(prefix);
    if (prefix.family in found) return problemOf('can be one of IPv4 and one of IPv6');
    found[prefix.family] = one;
  }
  const isText = isOfLink && found.ipv6 === undefined && !isMapping(before);
  return valueOf(isText ? found.ipv4 : mapOf(found, before));
}

function prefixForm(rules: PrefixRules): TextForm {
  const words = withWords(rules.words);
  return {
    textOf: (value) => words.textOf(value) ?? prefixTexts(value)?.join(', '),
    read: (text, before) => words.read(text) ?? readPrefixes(text, before, rules),
  };
}

/** Says which prefix is probably meant. */
function networkIn(text: string): Prefix | string {
  const prefix = parsePrefix(text);
  const network = checkedNetwork(text);
  return typeof network === 'string' && prefix !== undefined && networkOf(prefix).bits !== prefix.bits
    ? `must be a network such as ${formatPrefix(networkOf(prefix))}: "${text}" is an address in it`
    : network;
}

/** The prefix of a link: `10.0.0.0/24, 2001:db8::/64`. */
export const linkPrefix: TextForm = prefixForm({ words: { none: false }, check: networkIn, isOfLink: true });

/** Whether a node has a loopback, or its addresses. */
export const loopback: TextForm = prefixForm({
  words: { yes: true, no: false },
  check: (text) =>
    parsePrefix(text) ? checkedPrefix(text, undefined) : 'must be yes, no, or addresses such as 10.0.0.1/32',
  isOfLink: false,
});

/** The address of one end of a link. netlab alone has `dhcp`. */
export function endAddress(family: Family): TextForm {
  const words = withWords({ none: false, unnumbered: true });
  return {
    textOf: (value) => words.textOf(value) ?? scalarText(value),
    read: (text) => {
      const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : text;
      const said = text === 'dhcp' ? valueOf(text) : words.read(text);
      const request = addressRequest(value, family);
      if (said !== undefined || typeof request !== 'string') return said ?? valueOf(value);
      const example = family === 'ipv4' ? '10.1.0.1/24' : '2001:db8:1::1/64';
      return problemOf(
        request.startsWith('"')
          ? request
          : `must be an address such as ${example}, a host number, none or unnumbered`,
      );
    },
  };
}
