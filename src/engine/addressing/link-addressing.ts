/** Gives the ends of one link their addresses. */
import {
  addressCount,
  families,
  formatAddress,
  formatPrefix,
  networkOf,
  widthOf,
  type Family,
  type Prefix,
} from '../../lib/net/ip.ts';
import type { Addresses, LinkType } from '../core/lab.ts';
import type { Findings, Origin } from '../topology/findings.ts';
import type { InterfaceSpec, LinkSpec } from '../topology/read-links.ts';
import type { PrefixRequest } from '../topology/read-named-prefixes.ts';
import type { NodeSpec } from '../topology/read-nodes.ts';
import { reservedRange } from '../topology/checked-network.ts';

interface AddressedEnd {
  readonly node: string;
  readonly origin: Origin;
  readonly addresses: Partial<Record<Family, Prefix>>;
  /** The families in which the end uses the address of its loopback. */
  readonly unnumbered: Family[];
  readonly mtu: number | undefined;
}

interface Computed {
  readonly type: LinkType;
  readonly prefixes: PrefixRequest;
  /** The nodes at the ends, in the order of the ends. */
  readonly nodes: readonly NodeSpec[];
  /** The loopbacks of the nodes. */
  readonly loopbacks: readonly (Addresses | null)[];
}

/** The address of an end; `true` for the address of its loopback. */
type Given = Prefix | true | undefined;

/** The way to number the ends of a link; `loopback` if the prefix has one address only. */
type Policy = 'p2p' | 'id_based' | 'sequential' | 'loopback';

/** Addresses for the ends of one link, by the rules of netlab (`netsim/augment/links.py`, get_prefix_IPAM_policy). */
export class LinkAddressing {
  readonly #link: LinkSpec;
  readonly #computed: Computed;
  readonly #findings: Findings;

  constructor(link: LinkSpec, computed: Computed, findings: Findings) {
    this.#link = link;
    this.#computed = computed;
    this.#findings = findings;
  }

  ends(): readonly AddressedEnd[] {
    const ends = this.#link.interfaces.map(({ node, origin, mtu }) => ({
      node,
      origin,
      addresses: {} as Partial<Record<Family, Prefix>>,
      unnumbered: [] as Family[],
      mtu,
    }));
    for (const family of families) {
      const addresses = this.#addresses(family);
      for (const [index, end] of ends.entries()) {
        const address = addresses[index];
        if (address === true) end.unnumbered.push(family);
        else if (address !== undefined) end.addresses[family] = address;
      }
    }
    return ends;
  }

  #addresses(family: Family): Given[] {
    const { interfaces, label, origin } = this.#link;
    const prefix = this.#computed.prefixes[family];
    if (typeof prefix !== 'object')
      return interfaces.map((end, index) =>
        end[family] === undefined ? this.#borrowed(index, family) : this.#withoutPrefix(end, family),
      );
    const policy = this.#computed.prefixes.allocation ?? this.#policy(prefix);
    if (policy === undefined) {
      const { length } = interfaces;
      this.#findings.error(
        origin,
        `${label}: ${formatPrefix(prefix)} has too few addresses for ${length} nodes`,
      );
      return [];
    }
    const numbers = this.#hostNumbers(policy, prefix);
    return interfaces.map((end, index) => this.#withPrefix(end, prefix, numbers[index] ?? 0n));
  }

  #policy(prefix: Prefix): Policy | undefined {
    const { type, nodes } = this.#computed;
    const size = addressCount(prefix);
    if (type === 'p2p') return size > 1n ? 'p2p' : undefined;
    if (size === 2n && nodes.length === 2) return 'p2p';
    if (size === 1n) return nodes.length === 1 ? 'loopback' : undefined;
    const usable = size > 2n ? size - 2n : size;
    if (nodes.every(({ id }) => BigInt(id) <= usable)) return 'id_based';
    return BigInt(nodes.length) <= usable ? 'sequential' : undefined;
  }

  #hostNumbers(policy: Policy, prefix: Prefix): bigint[] {
    const { interfaces } = this.#link;
    const { nodes } = this.#computed;
    const start = addressCount(prefix) > 2n ? 1 : 0;
    switch (policy) {
      case 'loopback':
        return nodes.map(() => 0n);
      case 'id_based':
        return nodes.map(({ id }) => BigInt(id));
      case 'sequential':
        return nodes.map((_, index) => BigInt(index + start));
      case 'p2p': {
        // Sorted by name, byte by byte, as in netlab: `B` before `_a` before `a`. Names are ASCII.
        const order = [...interfaces.keys()].toSorted((one, other) => {
          const [first = '', second = ''] = [interfaces[one]?.node, interfaces[other]?.node];
          return first === second ? one - other : first < second ? -1 : 1;
        });
        return interfaces.map((_, index) => BigInt(order.indexOf(index) + start));
      }
    }
  }

  #withPrefix(end: InterfaceSpec, prefix: Prefix, number: bigint): Given {
    const request = end[prefix.family];
    switch (request?.kind) {
      case 'none':
        return undefined;
      case 'unnumbered':
        return true;
      case 'prefix':
        return this.#checked(request.prefix, end);
      case 'address':
        return this.#checked({ ...prefix, bits: request.bits }, end);
      case 'host':
      case undefined: {
        const host = request?.index ?? number;
        if (host < addressCount(prefix)) return this.#checked({ ...prefix, bits: prefix.bits + host }, end);
        const where = `${this.#link.label}: ${end.node}`;
        this.#findings.error(
          end.origin,
          `${where} has host number ${host}, which is outside ${formatPrefix(prefix)}`,
        );
        return undefined;
      }
    }
  }

  /**
   * Whether an end without attributes uses the address of its loopback. On an `unnumbered` link, it does so in each
   * family of the loopback; if the node has no loopback, the end has only a link-local IPv6 address
   * (IPAM_unnumbered).
   */
  #borrowed(index: number, family: Family): true | undefined {
    const { prefixes, loopbacks } = this.#computed;
    const loopback = loopbacks[index] ?? null;
    const isBorrowed =
      prefixes.unnumbered === true
        ? loopback === null
          ? family === 'ipv6'
          : loopback[family] !== undefined
        : prefixes[family] === true;
    return isBorrowed || undefined;
  }

  #withoutPrefix(end: InterfaceSpec, family: Family): Given {
    const request = end[family];
    if (request === undefined || request.kind === 'none') return undefined;
    if (request.kind === 'unnumbered') return true;
    if (request.kind === 'prefix') return this.#checked(request.prefix, end);
    const given =
      request.kind === 'host' ? `host number ${request.index}` : formatAddress(request.bits, family);
    const where = `${this.#link.label}: ${end.node}`;
    this.#findings.error(
      end.origin,
      `${where} has ${given}, but the link has no ${family} prefix: give the address with its length`,
    );
    return undefined;
  }

  /**
   * Reports an address that an interface cannot have: one in a reserved range, or the first or last of its prefix. In
   * a prefix of one or two addresses, all addresses are usable (RFC 3021, RFC 6164).
   */
  #checked(address: Prefix, { node, origin }: InterfaceSpec): Prefix {
    const isShort = widthOf(address.family) - address.length <= 1;
    const offset = address.bits - networkOf(address).bits;
    const refuse = (why: string): void =>
      this.#findings.error(origin, `${this.#link.label}: ${formatPrefix(address)} of ${node} is ${why}`);
    if (!isShort && offset === 0n) refuse('the address of the network itself');
    const range = reservedRange({ ...address, length: widthOf(address.family) });
    if (range !== undefined) refuse(`in the ${range}, which no interface may use`);
    if (!isShort && offset === addressCount(address) - 1n) refuse('the broadcast address of its network');
    return address;
  }
}
