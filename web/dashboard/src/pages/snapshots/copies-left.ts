import type { Quota, Snapshot } from '../../../../../src/client/api-types.ts';

/** For each lab of netlab, another job configures the nodes whose configuration is not in the snapshot. */
function jobsOf({ cli, nodes }: Pick<Snapshot, 'cli' | 'nodes'>): number {
  const kept = nodes.filter((node) => node.kept === 'configuration').length;
  return cli === 'netlab' && kept > 0 && kept < nodes.length ? 2 : 1;
}

/** How many labs from a snapshot the quotas of the user leave; infinity without a limit. */
export function copiesLeft(quotas: readonly Quota[], snapshot: Pick<Snapshot, 'cli' | 'nodes'>): number {
  const ofOne: Partial<Record<Quota['resource'], number>> = {
    labs: 1,
    nodes: Math.max(1, snapshot.nodes.length),
    jobs: jobsOf(snapshot),
  };
  const left = quotas.map(({ resource, used, limit }) => {
    const each = ofOne[resource];
    return limit === null || each === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(0, Math.floor((limit - used) / each));
  });
  return Math.min(Number.POSITIVE_INFINITY, ...left);
}
