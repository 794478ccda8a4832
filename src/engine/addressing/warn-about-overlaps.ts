import { comparePrefixes, covers, formatPrefix, type Prefix } from '../core/ip.ts';
import type { Findings, Origin } from '../topology/findings.ts';

/** A network that is in use: on a link, or on a loopback. */
export interface UsedNetwork {
  readonly network: Prefix;
  /** For messages: `links[3]`. */
  readonly what: string;
  readonly origin: Origin;
}

/** Warns where one network covers another: each address then has two ways, and at most one of them is right. */
export function warnAboutOverlaps(networks: readonly UsedNetwork[], findings: Findings): void {
  for (const family of ['ipv4', 'ipv6']) {
    const sorted = networks
      .filter(({ network }) => network.family === family)
      .toSorted((one, other) => comparePrefixes(one.network, other.network));
    // Sorted like this, a network follows those that cover it; the widest of the last ones is enough to see.
    let widest: UsedNetwork | undefined;
    for (const used of sorted) {
      if (widest === undefined || !covers(widest.network, used.network)) {
        widest = used;
        continue;
      }
      const wide = `${formatPrefix(widest.network)} of ${widest.what}`;
      const narrow = `${formatPrefix(used.network)} of ${used.what}`;
      findings.warn(used.origin, `${narrow} is in ${wide}: not every address will be reached`);
    }
  }
}
