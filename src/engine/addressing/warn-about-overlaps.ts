/** Warns about networks of a lab that overlap. */
import { comparePrefixes, covers, formatPrefix, type Prefix } from '../core/ip.ts';
import type { Findings, Origin } from '../topology/findings.ts';

/** A network that is in use: on a link, or on a loopback. */
export interface UsedNetwork {
  readonly network: Prefix;
  /** For messages: `links[3]`. */
  readonly what: string;
  readonly origin: Origin;
}

/** Warns if one network covers another: packets for some addresses then go to the wrong network. */
export function warnAboutOverlaps(networks: readonly UsedNetwork[], findings: Findings): void {
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
