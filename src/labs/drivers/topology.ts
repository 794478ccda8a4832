/** A computed lab: nodes, links and all addresses. */

/** One address per family, with prefix length (`10.1.0.1/30`); null where there is none, as on an unnumbered link. */
export interface Addresses {
  readonly ipv4: string | null;
  readonly ipv6: string | null;
}

export interface TopologyInterface extends Addresses {
  /** The name on the device: `eth1`. */
  readonly name: string;
  /** The id of its link; null for an interface without one, such as a loopback. */
  readonly link: string | null;
}

export interface TopologyNode {
  readonly name: string;
  readonly device: string | null;
  /** `router`, `host`, `bridge`, or another word of the lab CLI. */
  readonly role: string | null;
  readonly groups: readonly string[];
  /** The number of the autonomous system that its BGP is in; null when it has none, or the lab CLI knows of none. */
  readonly as: number | null;
  /** The modules of netlab that it uses, such as `ospf`. */
  readonly modules: readonly string[];
  readonly loopback: Addresses | null;
  readonly interfaces: readonly TopologyInterface[];
}

export interface TopologyEndpoint extends Addresses {
  readonly node: string;
  readonly interface: string;
}

export interface TopologyLink {
  readonly id: string;
  /** `p2p`, `lan`, `stub`, `loopback`, or another word of the lab CLI. */
  readonly type: string;
  readonly prefix: Addresses;
  /** One (a stub), two, or more. */
  readonly endpoints: readonly TopologyEndpoint[];
}

export interface LabTopology {
  readonly nodes: readonly TopologyNode[];
  readonly links: readonly TopologyLink[];
}
