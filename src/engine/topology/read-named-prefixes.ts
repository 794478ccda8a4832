/** Reads prefixes: the prefixes of links, and the named prefixes in `prefix` of a topology. */
import { didYouMean } from '../../lib/text/did-you-mean.ts';
import type { Prefix } from '../../lib/net/ip.ts';
import { checkKeys } from './attributes.ts';
import type { Pools } from './pools.ts';
import { isMapping, type Mapping, type Reading } from './source.ts';
import { checkedNetwork } from './checked-network.ts';
import { checkValues, prefixSchema, type Allocation } from './topology-schema.ts';

/**
 * The prefix of a link in the topology. `false`: no prefix in this family; `true`: the ends use the addresses of
 * their loopbacks.
 */
export interface PrefixRequest {
  readonly ipv4?: Prefix | boolean | undefined;
  readonly ipv6?: Prefix | boolean | undefined;
  /** netlab's older form: the same as `true` in each family that the loopback of an end has. */
  readonly unnumbered?: true | undefined;
  readonly allocation?: Allocation | undefined;
}

interface Context extends Reading {
  readonly prefixes: ReadonlyMap<string, PrefixRequest>;
  readonly key: string;
  readonly where: string;
}

/** No prefix in either family: the link has no addresses. */
const none: PrefixRequest = { ipv4: false, ipv6: false };

/**
 * The prefix at `key` of `map`: false, an IPv4 or IPv6 prefix, a name, or a map with one prefix per family. Reports
 * an error, and then returns undefined.
 */
export function readPrefix(map: Mapping, context: Context): PrefixRequest | undefined {
  const { source, findings, prefixes, key, where } = context;
  const given = map[key];
  const at = source.valueAt(map, key);
  if (given === false) return none;
  if (isMapping(given)) {
    checkKeys('prefix', given, context);
    if ('pool' in given)
      findings.error(source.keyAt(given, 'pool'), `${where}: "pool" is allowed in named prefixes only`);
    return checkValues(prefixSchema, given, context);
  }
  const named = typeof given === 'string' ? prefixes.get(given) : undefined;
  if (named !== undefined) return named;
  const prefix = checkedNetwork(given);
  if (typeof prefix !== 'string') return { [prefix.family]: prefix };
  const hint = typeof given === 'string' ? didYouMean(given, prefixes.keys()) : '';
  findings.error(at, `${where} ${prefix}${hint}`);
  return undefined;
}

/**
 * Reads `prefix` of a topology: each name stands for a given prefix, or for one from a pool in the order of the file.
 */
export function readNamedPrefixes(reading: Reading, pools: Pools): Map<string, PrefixRequest> {
  const { source, findings } = reading;
  const named = new Map<string, PrefixRequest>();
  const given = source.root['prefix'];
  if (given === undefined || given === null) return named;
  if (!isMapping(given)) {
    findings.error(source.valueAt(source.root, 'prefix'), 'prefix must be a map from names to prefixes');
    return named;
  }
  for (const [name, value] of Object.entries(given)) {
    const where = `prefix.${name}`;
    const poolName = isMapping(value) ? value['pool'] : undefined;
    // netlab accepts a text as the prefix of a link, but not here.
    if (typeof value === 'string') {
      const at = source.valueAt(given, name);
      findings.error(at, `${where} must be a map, such as {ipv4: ${value}}`);
      named.set(name, none);
      continue;
    }
    if (!isMapping(value) || typeof poolName !== 'string') {
      const request = readPrefix(given, { ...reading, prefixes: new Map(), key: name, where });
      named.set(name, request ?? none);
      continue;
    }
    checkKeys('prefix', value, reading);
    const values = checkValues(prefixSchema, value, { ...reading, where });
    const drawn = pools.draw(poolName, { origin: source.valueAt(value, 'pool'), what: where });
    named.set(name, { ...values, ...drawn });
  }
  return named;
}
