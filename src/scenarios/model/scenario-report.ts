/** The result of a scenario: the content of `scenario.json`. Times are in ms. */

export interface StreamLoss {
  /** `h1 → h2 IPv4`. */
  readonly stream: string;
  readonly periodMs: number;
  readonly sent: number;
  readonly lost: number;
  /** Loss-derived convergence time (RFC 6413, 2.3.3): lost probes times the time between two. */
  readonly outageMs: number;
  /** The longest time without a reply, by the probes that were lost in a row. */
  readonly longestGapMs: number;
  /** From the fault, or its heal, until the first probe that was answered again; null when none was lost, or none came back. */
  readonly recoveredAfterMs: number | null;
  /** Whether it had traffic at the end. */
  readonly isAnswered: boolean;
  /** Probes lost in a row: when the first was sent, counted from the fault. The first hundred. */
  readonly gaps: readonly { readonly fromMs: number; readonly lost: number }[];
}

/** The nodes that a flow passes. */
export interface FlowPath {
  readonly stream: string;
  /** Their names; the address of an unknown one, null for one that did not answer. */
  readonly hops: readonly (string | null)[];
  /**
   * Whether the last one is the receiver. If not, nodes behind the last one may be missing: Linux answers one probe a second
   * that it has no route for (icmp_ratelimit in ip-sysctl), and there are more.
   */
  readonly isWhole: boolean;
}

export interface FaultReport {
  readonly fault: string;
  readonly verdict: 'passed' | 'failed';
  /** One sentence for each thing that is wrong. */
  readonly reasons: readonly string[];
  /** RFC 3339. */
  readonly setAt: string;
  /** How long it stayed, and how long the lab took after that until all flows were without loss. */
  readonly heldMs: number;
  readonly healedMs: number | null;
  readonly limitMs: number | null;
  /** While it stayed. */
  readonly streams: readonly StreamLoss[];
  /** Before it was set, and at the end of its time; empty unless they are asked for. */
  readonly pathsBefore: readonly FlowPath[];
  readonly paths: readonly FlowPath[];
  /** After it was healed. */
  readonly afterHeal: readonly StreamLoss[];
}

export interface ScenarioReport {
  readonly title: string;
  readonly startedAt: string;
  /** Whether all faults were run. */
  readonly complete: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly streams: readonly string[];
  readonly faults: readonly FaultReport[];
}
