/** The address pools of a topology, with the rules of netlab. */
import { didYouMean } from '../../lib/text/did-you-mean.ts';
import { families, formatPrefix, parsePrefix, widthOf, type Family, type Prefix } from '../../lib/net/ip.ts';
import { checkKeys } from './attributes.ts';
import type { Findings, Origin } from './findings.ts';
import { isMapping, type Mapping, type Reading } from './source.ts';
import { checkedNetwork } from './checked-network.ts';
import { identifierFormat, identifierHelp } from './identifier-format.ts';
import { checkValues, poolSchema, type Allocation } from './topology-schema.ts';

interface PoolSettings {
  /** `true`: the interface has no address of its own and uses the address of the loopback. */
  readonly ipv4?: Prefix | boolean | undefined;
  readonly ipv6?: Prefix | boolean | undefined;
  readonly unnumbered?: true | undefined;
  /** The length of the IPv4 prefixes that the pool hands out. */
  readonly prefix?: number | undefined;
  readonly prefix6?: number | undefined;
  readonly allocation?: Allocation | undefined;
}

/** The prefixes from one draw; a family that the pool does not have is absent. */
export interface Drawn {
  readonly ipv4?: Prefix | true;
  readonly ipv6?: Prefix | true;
  readonly unnumbered?: true;
  readonly allocation?: Allocation;
}

interface Purpose {
  readonly origin: Origin;
  /** For messages: `links[3]`. */
  readonly what: string;
}

/** netlab's pools (`netsim/defaults/addressing.yml`, `netsim/augment/addressing.py`, setup_pools). */
const defaultPools: Readonly<Record<string, PoolSettings>> = {
  loopback: { ipv4: parsePrefix('10.0.0.0/24'), prefix: 32 },
  lan: { ipv4: parsePrefix('172.16.0.0/16'), prefix: 24 },
  p2p: { ipv4: parsePrefix('10.1.0.0/16'), prefix: 30 },
  l2only: {},
  vrf_loopback: { ipv4: parsePrefix('10.2.0.0/24'), prefix: 32 },
  router_id: { ipv4: parsePrefix('10.0.0.0/24'), prefix: 32 },
  mgmt: { ipv4: parsePrefix('192.168.121.0/24'), prefix: 24 },
};
const defaultPrefix6 = 64;
/** Pools of netlab for features that this engine does not have: hosts have routes to them only if a link uses them. */
const otherPools = new Set(['mgmt', 'router_id', 'vrf_loopback']);

/** Hands out the prefixes of one length in a pool, one after the other. */
class Sequence {
  readonly #pool: Prefix;
  readonly #length: number;
  readonly #count: bigint;
  #next: bigint;
  /** The index that `nth(1)` returns: the first free index at the first call of `nth`. */
  #first: bigint | undefined;

  constructor(pool: Prefix, length: number, isLoopback: boolean) {
    this.#pool = pool;
    this.#length = length;
    this.#count = 1n << BigInt(Math.max(0, length - pool.length));
    // netlab never hands out the first address of a pool; in IPv6, a /127 counts as an address as well.
    const isAddress = pool.family === 'ipv4' ? length === 32 : length >= 127;
    this.#next = isAddress || isLoopback ? 1n : 0n;
  }

  #at(index: bigint): Prefix | undefined {
    if (index >= this.#count) return undefined;
    const { family, bits } = this.#pool;
    const hostBits = BigInt(widthOf(family) - this.#length);
    return { family, bits: bits + (index << hostBits), length: this.#length };
  }

  next(): Prefix | undefined {
    this.#next += 1n;
    return this.#at(this.#next - 1n);
  }

  /** The prefix with number `n`, from 1; later calls of `next` return prefixes after it only. */
  nth(n: number): Prefix | undefined {
    this.#first ??= this.#next;
    const index = this.#first + BigInt(n - 1);
    if (index >= this.#next) this.#next = index + 1n;
    return this.#at(index);
  }
}

interface Pool {
  readonly settings: PoolSettings;
  readonly sequences: Partial<Record<Family, Sequence>>;
}

function lengthOf(name: string, family: Family, settings: PoolSettings): number {
  if (family === 'ipv6') return settings.prefix6 ?? defaultPrefix6;
  return settings.prefix ?? (name.includes('loopback') ? 32 : 24);
}

/** The address pools of a topology, with their used prefixes. */
export class Pools {
  readonly #findings: Findings;
  readonly #pools = new Map<string, Pool>();
  readonly #exhausted = new Set<string>();
  readonly #drawnFrom = new Set<string>();

  constructor(settings: ReadonlyMap<string, PoolSettings>, findings: Findings) {
    this.#findings = findings;
    for (const [name, own] of settings) {
      const sequences: Partial<Record<Family, Sequence>> = {};
      for (const family of families) {
        const pool = own[family];
        if (typeof pool === 'object' && own.unnumbered !== true)
          sequences[family] = new Sequence(pool, lengthOf(name, family, own), name === 'loopback');
      }
      this.#pools.set(name, { settings: own, sequences });
    }
  }

  has(name: string): boolean {
    return this.#pools.has(name);
  }

  /** The prefixes of all pools that links and loopbacks use or usually use. */
  get prefixes(): readonly Prefix[] {
    const named = [...this.#pools].filter(([name]) => !otherPools.has(name) || this.#drawnFrom.has(name));
    return named.flatMap(([, { settings }]) =>
      families.flatMap((family) => {
        const prefix = settings[family];
        return typeof prefix === 'object' && settings.unnumbered !== true ? [prefix] : [];
      }),
    );
  }

  /**
   * The next prefixes of a pool, or with `n` the prefixes with that number; reports an unknown or an exhausted pool.
   */
  draw(name: string, purpose: Purpose, n?: number): Drawn {
    const pool = this.#pools.get(name);
    if (pool === undefined) {
      const hint = didYouMean(name, this.#pools.keys());
      this.#findings.error(purpose.origin, `${purpose.what}: there is no address pool "${name}"${hint}`);
      return {};
    }
    this.#drawnFrom.add(name);
    const { allocation, unnumbered } = pool.settings;
    if (unnumbered === true) return { unnumbered };
    const drawn: { ipv4?: Prefix | true; ipv6?: Prefix | true } = {};
    for (const family of families) {
      if (pool.settings[family] === true) drawn[family] = true;
      const sequence = pool.sequences[family];
      if (sequence === undefined) continue;
      const prefix = n === undefined ? sequence.next() : sequence.nth(n);
      if (prefix !== undefined) drawn[family] = prefix;
      else this.#reportExhausted(name, family, { ...purpose, pool, n });
    }
    return allocation === undefined ? drawn : { ...drawn, allocation };
  }

  #reportExhausted(
    name: string,
    family: Family,
    { origin, what, pool, n }: Purpose & { readonly pool: Pool; readonly n: number | undefined },
  ): void {
    // Reported once for a pool: every further node or link would have the same error with the same remedy.
    const key = `${name} ${family}`;
    if (this.#exhausted.has(key)) return;
    this.#exhausted.add(key);
    const prefix = pool.settings[family];
    const size = typeof prefix === 'object' ? ` (${formatPrefix(prefix)})` : '';
    const message =
      n === undefined
        ? `pool ${name}${size} has no prefix left for ${what}`
        : `pool ${name}${size} has no address for ${what} with id ${n}`;
    this.#findings.error(origin, `${message}; enlarge it with addressing.${name}.${family}`);
  }
}

/**
 * A pool of the lower layer `below` with the changes of a higher layer (`defaults.addressing`, `addressing`): a text
 * replaces it, a map extends it.
 */
function layered(below: PoolSettings, given: unknown, layer: Mapping, context: LayerContext): PoolSettings {
  const { source, findings, name, where } = context;
  if (given === null) return {};
  if (isMapping(given)) {
    checkKeys('pool', given, context);
    const values = checkValues(poolSchema, withoutEmpty(given, source), {
      source,
      findings,
      where: `${where}.${name}`,
    });
    return { ...below, ...values };
  }
  const prefix = checkedNetwork(given);
  if (typeof prefix !== 'string') return { [prefix.family]: prefix };
  findings.error(source.valueAt(layer, name), `${where}.${name} ${prefix}`);
  return below;
}

/** netlab's idiom for pools with IPv6 only: `ipv4:` with an empty value removes the IPv4 prefix. */
function withoutEmpty(given: Mapping, source: Reading['source']): Mapping {
  const settings = source.mapping();
  for (const [key, value] of Object.entries(given)) {
    const isEmpty = value === null && (key === 'ipv4' || key === 'ipv6');
    const origin = { key: source.keyAt(given, key), value: source.valueAt(given, key) };
    source.put(settings, key, isEmpty ? false : value, origin);
  }
  return settings;
}

interface LayerContext extends Reading {
  readonly name: string;
  readonly where: string;
}

/** Checks a pool by netlab's rules (`validate_pools`). */
function checkLengths(name: string, settings: PoolSettings, at: Origin, findings: Findings): void {
  for (const family of families) {
    const pool = settings[family];
    if (typeof pool !== 'object' || name === 'mgmt') continue;
    const length = lengthOf(name, family, settings);
    if (length < pool.length)
      findings.error(
        at,
        `addressing.${name}: prefixes of length ${length} do not fit into ${formatPrefix(pool)}`,
      );
    if (family === 'ipv6' && pool.length > 56)
      findings.error(
        at,
        `addressing.${name}.ipv6: a pool cannot be longer than /56, unlike ${formatPrefix(pool)}`,
      );
  }
}

function addressingOf(map: Mapping, where: string, { source, findings }: Reading): Mapping {
  const given = map['addressing'] ?? source.mapping();
  if (isMapping(given)) return given;
  findings.error(source.valueAt(map, 'addressing'), `${where} must be a map from pools to prefixes`);
  return source.mapping();
}

/** Reads the pools of a topology: `addressing` overrides `defaults.addressing`, which overrides netlab's pools. */
export function readPools(reading: Reading): Pools {
  const { source, findings } = reading;
  const settings = new Map(Object.entries(defaultPools));
  const origins = new Map<string, Origin>();
  const defaults = source.root['defaults'];
  const layers: [string, Mapping][] = [['addressing', source.root]];
  if (isMapping(defaults)) layers.unshift(['defaults.addressing', defaults]);
  for (const [where, map] of layers) {
    const layer = addressingOf(map, where, reading);
    for (const [name, given] of Object.entries(layer)) {
      origins.set(name, source.keyAt(layer, name));
      if (!identifierFormat.test(name) || source.isUnquoted(layer, name))
        findings.error(source.keyAt(layer, name), `the name of a pool ${identifierHelp}, unlike "${name}"`);
      settings.set(name, layered(settings.get(name) ?? {}, given, layer, { ...reading, name, where }));
    }
  }
  for (const [name, own] of settings) checkLengths(name, own, origins.get(name) ?? 0, findings);
  const loopback = settings.get('loopback');
  if (!families.some((family) => typeof loopback?.[family] === 'object') || loopback?.unnumbered === true)
    findings.error(origins.get('loopback') ?? 0, 'addressing.loopback has no prefix: routers need one');
  return new Pools(settings, findings);
}
