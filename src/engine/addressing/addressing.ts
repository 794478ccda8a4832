/**
 * `addressing/` computes the addresses of interfaces and loopbacks, as netlab does. This file does so for a whole
 * lab.
 */
import {
  comparePrefixes,
  covers,
  families,
  formatPrefix,
  networkOf,
  type Family,
  type Prefix,
} from '../../lib/net/ip.ts';
import type { Addresses, LabInterface, LabLink, LabNode, LinkType } from '../core/lab.ts';
import type { Findings, Origin } from '../topology/findings.ts';
import type { Pools } from '../topology/pools.ts';
import type { LinkSpec } from '../topology/read-links.ts';
import type { PrefixRequest } from '../topology/read-named-prefixes.ts';
import type { LoopbackRequest, NodeSpec } from '../topology/read-nodes.ts';
import { LinkAddressing } from './link-addressing.ts';

/** A network that is in use: on a link, or on a loopback. */
interface UsedNetwork {
  readonly network: Prefix;
  /** For messages: `links[3]`. */
  readonly what: string;
  readonly origin: Origin;
}

/** Warns if one network covers another: packets for some addresses then go to the wrong network. */
function warnAboutOverlaps(networks: readonly UsedNetwork[], findings: Findings): void {
  for (const family of ['ipv4', 'ipv6']) {
    const sorted = networks
      .filter(({ network }) => network.family === family)
      .toSorted((one, other) => comparePrefixes(one.network, other.network));
    // In this order, a network comes after those that cover it, so it is enough to remember the widest so far.
    let widest: UsedNetwork | undefined;
    for (const used of sorted) {
      if (widest === undefined || !covers(widest.network, used.network)) {
        widest = used;
        continue;
      }
      const wide = `${formatPrefix(widest.network)} of ${widest.what}`;
      const narrow = `${formatPrefix(used.network)} of ${used.what}`;
      findings.warn(used.origin, `${narrow} is in ${wide}: some addresses will be unreachable`);
    }
  }
}

/** Nodes and links with every address, before there are routes. */
export interface AddressedLab {
  readonly nodes: readonly LabNode[];
  readonly links: readonly LabLink[];
}

interface Draft {
  readonly spec: NodeSpec;
  readonly loopback: Addresses | null;
  readonly interfaces: LabInterface[];
}

/** The owner of an address: an interface on a link, or a loopback. */
interface Owner {
  readonly owner: string;
  readonly place: string;
  readonly origin: Origin;
}

function asText(prefixes: Partial<Record<Family, Prefix>>): Addresses {
  const { ipv4, ipv6 } = prefixes;
  return {
    ...(ipv4 === undefined ? {} : { ipv4: formatPrefix(ipv4) }),
    ...(ipv6 === undefined ? {} : { ipv6: formatPrefix(ipv6) }),
  };
}

/**
 * The maximum number of ports of a bridge: BR_MAX_PORTS of net/bridge/br_private.h is 1,024, and port 0 is not used.
 */
const bridgePortsMax = 1_023;

/** The name of the next interface of a node: interfaces on loopback links have their own numbers, as in netlab. */
function nameOf(type: LinkType, interfaces: readonly LabInterface[]): string {
  const isLoopback = type === 'loopback';
  const before = interfaces.filter((each) => (each.type === 'loopback') === isLoopback).length;
  return `${isLoopback ? 'lo' : 'eth'}${before + 1}`;
}

/**
 * The type of a link without `type`: lan with a host or more than two nodes, p2p for two routers, stub for one node.
 */
function defaultType(nodes: readonly NodeSpec[]): LinkType {
  if (nodes.length > 2 || nodes.some(({ role }) => role === 'host')) return 'lan';
  return nodes.length === 2 ? 'p2p' : 'stub';
}

/**
 * Computes addresses as netlab 26.10 does (`netsim/augment/links.py`, `nodes.py`): links take prefixes from pools in
 * the order of the file, and loopbacks take addresses by node id. Every conflict is reported.
 */
export class Addressing {
  readonly #pools: Pools;
  readonly #findings: Findings;
  readonly #nodes = new Map<string, Draft>();
  readonly #owners = new Map<string, Owner>();
  readonly #networks: UsedNetwork[] = [];

  constructor(pools: Pools, findings: Findings) {
    this.#pools = pools;
    this.#findings = findings;
  }

  address(nodes: readonly NodeSpec[], links: readonly LinkSpec[]): AddressedLab {
    for (const spec of nodes) {
      const loopback = spec.loopback === null ? null : this.#loopback(spec, spec.loopback);
      this.#nodes.set(spec.name, { spec, loopback, interfaces: [] });
    }
    const addressed = links.flatMap((link, index) => this.#link(link, index + 1) ?? []);
    warnAboutOverlaps(this.#networks, this.#findings);
    return { nodes: [...this.#nodes.values()].map((draft) => this.#node(draft)), links: addressed };
  }

  #node({ spec, loopback, interfaces }: Draft): LabNode {
    const { name, id, device, role } = spec;
    return { name, id, device, role, loopback, interfaces, routes: [] };
  }

  #loopback({ name, id, origin }: NodeSpec, request: LoopbackRequest): Addresses {
    // Takes a prefix even if both addresses are given: netlab does so, and later prefixes depend on it.
    const drawn = this.#pools.draw(request.pool, { origin, what: `nodes.${name}.loopback` }, id);
    const addresses: Partial<Record<Family, Prefix>> = {};
    for (const family of families) {
      const given = request[family];
      const pool = drawn[family];
      if (typeof given !== 'boolean') addresses[family] = given;
      else if (given && pool !== undefined) {
        if (pool === true) continue;
        const isHost = pool.length === (family === 'ipv4' ? 32 : 128);
        addresses[family] = isHost ? pool : { ...pool, bits: pool.bits + 1n };
      }
    }
    for (const prefix of Object.values(addresses)) {
      const owner = `the loopback of ${name}`;
      this.#own(prefix, { owner, place: owner, origin });
      this.#networks.push({ network: networkOf(prefix), what: `the loopback of ${name}`, origin });
    }
    return asText(addresses);
  }

  /**
   * Records the owner of an address. As in netlab, two interfaces on one link cannot have the same address. Elsewhere
   * in the lab, netlab allows a duplicate, and the engine warns.
   */
  #own(address: Prefix, { owner, place, origin }: Owner): void {
    const key = `${address.family}/${address.bits}`;
    const other = this.#owners.get(key);
    if (other === undefined) {
      this.#owners.set(key, { owner, place, origin });
      return;
    }
    const message = `${formatPrefix(address)} of ${owner} is also the address of ${other.owner}`;
    if (other.place === place) this.#findings.error(origin, message);
    else this.#findings.warn(origin, message);
  }

  #link(link: LinkSpec, linkIndex: number): LabLink | undefined {
    const specs = link.interfaces.flatMap(({ node }) => this.#nodes.get(node)?.spec ?? []);
    const type = this.#type(link, specs);
    if (type === undefined) return undefined;
    const prefixes = this.#prefixes(link, specs);
    const loopbacks = specs.map(({ name }) => this.#nodes.get(name)?.loopback ?? null);
    const ends = new LinkAddressing(link, { type, prefixes, nodes: specs, loopbacks }, this.#findings).ends();
    const networks = new Map<string, UsedNetwork>();
    const labEnds = ends.map(({ node, origin, addresses, unnumbered, mtu }, index) => {
      const owner = `${node} on ${link.label}`;
      for (const prefix of Object.values(addresses)) {
        this.#own(prefix, { owner, place: link.label, origin });
        const network = networkOf(prefix);
        networks.set(formatPrefix(network), { network, what: link.label, origin: link.origin });
      }
      const interfaces = this.#nodes.get(node)?.interfaces ?? [];
      const ifname = nameOf(type, interfaces);
      const size = mtu ?? link.mtu ?? this.#nodes.get(node)?.spec.mtu;
      const sized = size === undefined || type === 'loopback' ? {} : { mtu: size };
      this.#checkBorrowed(unnumbered, loopbacks[index] ?? null, { owner, origin });
      const borrowed = unnumbered.length === 0 ? {} : { unnumbered };
      interfaces.push({ ifname, linkIndex, type, ...asText(addresses), ...borrowed, ...sized });
      return { node, ifname };
    });
    this.#useNetworks([...networks.values()], link);
    const { ipv4, ipv6 } = prefixes;
    const given = { ...(typeof ipv4 === 'object' && { ipv4 }), ...(typeof ipv6 === 'object' && { ipv6 }) };
    const prefix = asText(given);
    return { linkIndex, type, prefix, ends: labEnds };
  }

  /** An interface without an address is useless in IPv4; in IPv6, it has a link-local address. */
  #checkBorrowed(
    unnumbered: readonly Family[],
    loopback: Addresses | null,
    { owner, origin }: Omit<Owner, 'place'>,
  ): void {
    if (unnumbered.includes('ipv4') && loopback?.ipv4 === undefined)
      this.#findings.warn(
        origin,
        `${owner} has no IPv4 address, because its node has no loopback with one (add loopback: true)`,
      );
  }

  #useNetworks(networks: readonly UsedNetwork[], link: LinkSpec): void {
    this.#networks.push(...networks);
    for (const family of families) {
      const own = networks.filter(({ network }) => network.family === family);
      const list = own.map(({ network }) => formatPrefix(network)).join(', ');
      if (own.length > 1)
        this.#findings.warn(
          link.origin,
          `${link.label} has ends in different networks, which cannot reach each other: ${list}`,
        );
    }
  }

  #type({ label, origin, ...link }: LinkSpec, nodes: readonly NodeSpec[]): LinkType | undefined {
    const type = link.type ?? defaultType(nodes);
    const count = nodes.length;
    if (count === 0) this.#findings.error(origin, `${label} has no nodes`);
    else if ((type === 'stub' || type === 'loopback') && count > 1)
      this.#findings.error(origin, `${label}: a ${type} has one node, not ${count}`);
    else if (count > bridgePortsMax)
      this.#findings.error(origin, `${label} has ${count} ends; a bridge has at most ${bridgePortsMax}`);
    else if (type === 'p2p' && count !== 2)
      this.#findings.error(origin, `${label}: a p2p link has two nodes, not ${count}`);
    else return type;
    return undefined;
  }

  /**
   * The prefix of the link: its own, or one from a pool. The first existing pool wins: the link's `pool`; the pool
   * with the name of its `role` (`stub` with at most one router); the pool of its default type; `lan`.
   */
  #prefixes(link: LinkSpec, nodes: readonly NodeSpec[]): PrefixRequest {
    const { prefix, pool, origin, label } = link;
    if (prefix?.ipv4 !== undefined || prefix?.ipv6 !== undefined) return prefix;
    if (link.unnumbered) return { unnumbered: true };
    const routers = nodes.filter(({ role }) => role === 'router').length;
    const role = link.role ?? (routers <= 1 ? 'stub' : undefined);
    const isPoolWrong = pool !== undefined && !this.#pools.has(pool);
    const candidates = isPoolWrong ? [pool] : [pool ?? role, defaultType(nodes), 'lan'];
    const name = candidates.find((candidate) => candidate !== undefined && this.#pools.has(candidate));
    const drawn = this.#pools.draw(name ?? pool ?? 'lan', { origin, what: label });
    return prefix?.allocation === undefined ? drawn : { ...drawn, allocation: prefix.allocation };
  }
}
