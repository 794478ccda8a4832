/** The traffic of links, from two readings of the counters of a lab (`GET /labs/{id}/traffic`). */
import type { InterfaceTraffic, LabTraffic } from './api-types.ts';

/** One direction at an interface. */
export interface Flow {
  /** In a second. */
  readonly bytes: number;
  readonly packets: number;
  /** Since the reading before. */
  readonly errors: number;
  readonly drops: number;
}

/** The traffic at one end of a link. */
export interface EndRate {
  readonly node: string;
  readonly interface: string;
  readonly rx: Flow;
  readonly tx: Flow;
}

/** By the id of the link. An end that has no rate is left out, and so is a link without any. */
export type LinkRates = ReadonlyMap<string, readonly EndRate[]>;

/** In bytes a second: of a whole link, or of one end of it. */
export interface Rate {
  readonly bytes: number;
  /** Errors and drops at its interfaces since the reading before. */
  readonly lost: number;
}

const counters = [
  ...(['rxBytes', 'rxPackets', 'rxErrors', 'rxDrops'] as const),
  ...(['txBytes', 'txPackets', 'txErrors', 'txDrops'] as const),
];

/** Undefined when the counters began again: the node was restarted. */
function endRate(
  node: string,
  [before, now]: readonly [InterfaceTraffic, InterfaceTraffic],
  seconds: number,
): EndRate | undefined {
  if (counters.some((name) => now[name] < before[name])) return undefined;
  const flow = (way: 'rx' | 'tx'): Flow => ({
    bytes: (now[`${way}Bytes`] - before[`${way}Bytes`]) / seconds,
    packets: (now[`${way}Packets`] - before[`${way}Packets`]) / seconds,
    errors: now[`${way}Errors`] - before[`${way}Errors`],
    drops: now[`${way}Drops`] - before[`${way}Drops`],
  });
  return { node, interface: now.interface, rx: flow('rx'), tx: flow('tx') };
}

const keyOf = (node: string, { interface: name, link }: InterfaceTraffic): string =>
  JSON.stringify([node, name, link]);

/**
 * The rates between two readings. An interface that is in one of them alone has no rate, nor has one whose counters began again,
 * or whose second reading is not later than the first, or later by more than `longestMs`.
 */
export function ratesBetween(before: LabTraffic, now: LabTraffic, longestMs = Infinity): LinkRates {
  const known = new Map(
    before.nodes.flatMap(({ node, readAtMs, interfaces }) =>
      interfaces.map((one) => [keyOf(node, one), { readAtMs, one }] as const),
    ),
  );
  const rates = new Map<string, EndRate[]>();
  for (const { node, readAtMs, interfaces } of now.nodes)
    for (const one of interfaces) {
      const first = known.get(keyOf(node, one));
      const ms = readAtMs - (first?.readAtMs ?? readAtMs);
      const rate =
        first && ms > 0 && ms <= longestMs ? endRate(node, [first.one, one], ms / 1_000) : undefined;
      if (rate) rates.set(one.link, [...(rates.get(one.link) ?? []), rate]);
    }
  return rates;
}

/** Whether it is the same reading: the service shares one among those who ask at the same time. */
export function isSameReading(a: LabTraffic, b: LabTraffic): boolean {
  const times = ({ nodes }: LabTraffic): string =>
    JSON.stringify(nodes.map(({ node, readAtMs }) => [node, readAtMs]));
  return times(a) === times(b);
}

/**
 * The traffic of a link in both directions, or with `only` the traffic of its ends at this node; undefined when it is unknown. A
 * frame counts once, where it is sent. If only some of its ends are known or asked for, the frames that they receive count, too.
 */
export function rateOf(ends: readonly EndRate[], only?: string): Rate | undefined {
  const own = only === undefined ? ends : ends.filter(({ node }) => node === only);
  if (own.length === 0) return undefined;
  const sum = (of: (end: EndRate) => number): number => own.reduce((total, end) => total + of(end), 0);
  const isPart = only !== undefined || own.length === 1;
  return {
    bytes: sum(({ rx, tx }) => tx.bytes + (isPart ? rx.bytes : 0)),
    lost: sum(({ rx, tx }) => rx.errors + rx.drops + tx.errors + tx.drops),
  };
}
