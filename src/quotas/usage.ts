/** How much users have. */
import { countedResources, type CountedResource, type Quota } from '../access/model/quotas.ts';

export type Usage = Readonly<Record<CountedResource, number>>;

/** Null stands for an unknown owner. */
export type UsageByOwner = ReadonlyMap<string | null, Usage>;

export const noUsage: Usage = { labs: 0, nodes: 0, jobs: 0, workspaceBytes: 0 };

export function plus(usage: Usage, more: Partial<Usage>): Usage {
  const sums = countedResources.map(
    (resource) => [resource, usage[resource] + (more[resource] ?? 0)] as const,
  );
  return { ...usage, ...Object.fromEntries(sums) };
}

export function minus(usage: Partial<Usage>): Partial<Usage> {
  return Object.fromEntries(countedResources.map((resource) => [resource, -(usage[resource] ?? 0)]));
}

export function withMore(all: UsageByOwner, owner: string | null, more: Partial<Usage>): UsageByOwner {
  return new Map(all).set(owner, plus(all.get(owner) ?? noUsage, more));
}

/** The usage that counts for a quota. */
export function countedFor({ counts }: Pick<Quota, 'counts'>, lists: readonly UsageByOwner[]): Usage {
  let sum = noUsage;
  for (const list of lists) for (const [owner, usage] of list) if (counts(owner)) sum = plus(sum, usage);
  return sum;
}

/** The usage on the other hosts of a cluster. */
export interface UsageElsewhere {
  /** As it was read last. */
  readonly last: UsageByOwner;
  /** Reads it. @throws AppError `cluster-unavailable`, also while Redis does not have the usage of each host. */
  read(): Promise<{ readonly usage: UsageByOwner; readonly version: string }>;
  /** Writes the usage on this host, unless a host has written since `version`; whether it did. @throws AppError `cluster-unavailable`. */
  write(own: UsageByOwner, version: string): Promise<boolean>;
}

/** A limit that one more thing would break. */
export interface Excess {
  readonly quota: Quota;
  readonly resource: CountedResource;
  readonly limit: number;
  readonly used: number;
  readonly wanted: number;
}

/** The first limit that does not leave room for `wanted`. Something that needs nothing more always fits. */
export function findExcess(
  quotas: readonly Quota[],
  lists: readonly UsageByOwner[],
  wanted: Partial<Usage>,
): Excess | undefined {
  for (const quota of quotas) {
    const used = countedFor(quota, lists);
    for (const resource of countedResources) {
      const [limit, more] = [quota.limits[resource] ?? Infinity, wanted[resource] ?? 0];
      if (more > 0 && used[resource] + more > limit)
        return { quota, resource, limit, used: used[resource], wanted: more };
    }
  }
  return undefined;
}

/** Whether any of the quotas has a limit for what is wanted. */
export function areLimited(quotas: readonly Quota[], wanted: Partial<Usage>): boolean {
  const isLimited = ({ limits }: Quota): boolean =>
    countedResources.some(
      (resource) => (wanted[resource] ?? 0) > 0 && (limits[resource] ?? Infinity) < Infinity,
    );
  return quotas.some(isLimited);
}
