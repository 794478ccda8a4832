import type {
  Impairment,
  LabTopology,
  TopologyEndpoint,
  TopologyInterface,
} from '../../../../../../../src/client/api-types.ts';

/** An impairment as a few words: `50 ms ± 5 ms, 1 % lost`. */
export function impairmentText({
  isImpaired,
  delayMs,
  jitterMs,
  lossPercent,
  duplicatePercent,
  corruptPercent,
  rateKbps,
}: Impairment): string {
  const words = [
    (delayMs > 0 || jitterMs > 0) && `${delayMs} ms${jitterMs > 0 ? ` ± ${jitterMs} ms` : ''}`,
    lossPercent > 0 && `${lossPercent} % lost`,
    duplicatePercent > 0 && `${duplicatePercent} % twice`,
    corruptPercent > 0 && `${corruptPercent} % corrupt`,
    rateKbps > 0 && `${rateKbps} kbit/s`,
  ].filter((word) => word !== false);
  if (words.length > 0) return words.join(', ');
  return isImpaired ? 'impaired' : 'none';
}

/** The other ends of the link of an interface: one, none, or several on a shared network. */
export function neighboursOf(
  topology: LabTopology,
  node: string,
  { name, link }: TopologyInterface,
): readonly TopologyEndpoint[] {
  const found = topology.links.find(({ id }) => id === link);
  return (found?.endpoints ?? []).filter((end) => end.node !== node || end.interface !== name);
}
