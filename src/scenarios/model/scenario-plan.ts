/** A scenario with all names resolved: the program that runs it knows nothing of topologies. */
import type { WantedFault } from '../../labs/model/fault.ts';

/** The probes of a flow in one address family. */
export interface Stream {
  /** For people: `h1 → h2 IPv4`. */
  readonly name: string;
  readonly from: string;
  readonly address: string;
  /** The address that the probes come from; null for the choice of the kernel. */
  readonly source: string | null;
  /** Between two probes: no outage is measured more exactly. */
  readonly periodMs: number;
}

export interface PlannedFault {
  /** For people: `r1-r2 down`. */
  readonly name: string;
  readonly parts: readonly WantedFault[];
  /** How long a stream may be without traffic; null when it must only be back before the fault is healed. */
  readonly limitMs: number | null;
  /** Whether the routers notice it at once. A stream that has lost nothing a moment later will lose nothing by it. */
  readonly isSudden: boolean;
}

export interface PlannedCapture {
  readonly node: string;
  readonly ifname: string;
  /** pcap-filter(7); empty for all packets. */
  readonly filter: string;
}

/** Its name among the files of the job. */
export const captureFile = ({ node, ifname }: Pick<PlannedCapture, 'node' | 'ifname'>): string =>
  `${node}-${ifname}.pcap`;

export interface ScenarioPlan {
  readonly title: string;
  readonly streams: readonly Stream[];
  readonly faults: readonly PlannedFault[];
  /** How paths are measured; null when they are not. */
  readonly paths: {
    /** No path has more. */
    readonly maxHops: number;
    /** By address. */
    readonly nodes: Readonly<Record<string, string>>;
  } | null;
  readonly captures: readonly PlannedCapture[];
  readonly holdMs: number;
  readonly steadyMs: number;
  readonly withinMs: number;
  readonly lossPercent: number;
  /** The tests of the lab that must pass in the steady state, and those that must pass while a fault stays. */
  readonly steadyTests: readonly string[];
  readonly expectedTests: readonly string[];
}
