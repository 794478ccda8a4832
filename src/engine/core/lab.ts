/**
 * `core/` has the vocabulary of the whole engine. This file describes a computed lab, as the engine builds it and as
 * `lab.snapshot.json` stores it.
 */

import type { Family } from '../../lib/net/ip.ts';

export type Role = 'host' | 'router';
export type LinkType = 'p2p' | 'lan' | 'stub' | 'loopback';

/** Addresses with their prefix length, one per family: `10.1.0.1/30`. */
export interface Addresses {
  readonly ipv4?: string;
  readonly ipv6?: string;
}

export interface LabInterface {
  /** `eth1`, `eth2`, … in the order of the node's links; `lo1`, `lo2`, … on links of type `loopback`. */
  readonly ifname: string;
  readonly linkIndex: number;
  readonly type: LinkType;
  readonly ipv4?: string;
  readonly ipv6?: string;
  /**
   * The families in which the interface has no address of its own and uses the address of the loopback, if the node
   * has one.
   */
  readonly unnumbered?: readonly Family[];
  /** Bytes; absent for the kernel's default. */
  readonly mtu?: number;
}

export interface Route {
  /** Prefix, `172.16.0.0/16`. */
  readonly to: string;
  /**
   * The address of the next hop, without prefix length. Null for a route of the lowest preference that makes the node
   * answer "unreachable" once all other routes to this prefix are gone.
   */
  readonly via: string | null;
  /** The interface to the next hop, if the next hop is in none of the networks of the node: on an unnumbered link. */
  readonly dev?: string;
}

export interface LabNode {
  readonly name: string;
  /** Counts from 1 in the order of the file, unless the file says otherwise. */
  readonly id: number;
  readonly device: string;
  readonly role: Role;
  /** Routers have one, and hosts that request one. */
  readonly loopback: Addresses | null;
  readonly interfaces: readonly LabInterface[];
  readonly routes: readonly Route[];
}

interface LinkEnd {
  readonly node: string;
  readonly ifname: string;
}

export interface LabLink {
  /** Counts from 1 in the order of the file. */
  readonly linkIndex: number;
  readonly type: LinkType;
  readonly prefix: Addresses;
  /** One end (stub, loopback), two (a veth pair), or more (a bridge). */
  readonly ends: readonly LinkEnd[];
}

/** A test of a lab, as `validate` of its topology describes it. */
export interface LabTest {
  readonly name: string;
  readonly description: string | null;
  /** Empty for a test that only waits. */
  readonly nodes: readonly string[];
  /** Seconds. */
  readonly wait: number | null;
  readonly waitMessage: string | null;
  /** Messages that replace the usual ones. */
  readonly pass: string | null;
  readonly fail: string | null;
  /** A call, such as `ping('h2')`. */
  readonly plugin: string | null;
  /** A command line for the shell of a node, and a condition on its output. */
  readonly exec: string | null;
  readonly valid: string | null;
  /** Whether the test has an action; if not, it waits. This engine may not support the action. */
  readonly hasAction: boolean;
  /** Whether a failure of this test ends the run. */
  readonly stopsOnError: boolean;
  /** Whether a failure is only a warning. */
  readonly isWarning: boolean;
}

export interface Lab {
  readonly name: string;
  /** `default`, or the number of `defaults.multilab.id`. */
  readonly instance: string;
  readonly provider: string;
  readonly message: string | null;
  readonly nodes: readonly LabNode[];
  readonly links: readonly LabLink[];
  /** In their order; absent when the topology has none. */
  readonly tests?: readonly LabTest[];
}
