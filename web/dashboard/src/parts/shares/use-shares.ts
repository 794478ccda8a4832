/** The right to share a lab, a workspace or a snapshot, and the requests that do it. */
import { useMutation } from '@tanstack/react-query';
import type { Lab, Share, Snapshot, Workspace } from '../../../../../src/client/api-types.ts';
import { useMay, useMayAdminister, useMayOperate, useSession } from '../../api/queries.ts';
import { fetchAgain } from '../../api/query-client.ts';
import { client } from '../../api/service.ts';

/** Without users, nothing can be shared. */
const useHasUsers = (): boolean => typeof useSession().data?.user === 'string';

export function useMayShareLab(lab: Lab): boolean {
  const may = useMay(lab);
  return useHasUsers() && may('replaceLabShares');
}

export function useMayShareSnapshot(snapshot: Snapshot): boolean {
  const may = useMay(snapshot);
  return useHasUsers() && may('replaceSnapshotShares');
}

/** By the rule of the service: its owner and administrators may. */
export function useMayShareWorkspace({ owner }: Workspace): boolean {
  const [mayOperate, mayAdminister] = [useMayOperate(), useMayAdminister()];
  const isOwn = owner === (useSession().data?.user ?? null);
  return useHasUsers() && mayOperate && (mayAdminister || isOwn);
}

export interface SharedThing {
  readonly kind: 'lab' | 'workspace' | 'snapshot';
  /** The ID of the lab, or the name of the workspace or the snapshot. */
  readonly id: string;
  /** The host that has the snapshot; null on a service of one host. */
  readonly host?: string | null;
}

function clientOf({ kind, id, host }: SharedThing) {
  switch (kind) {
    case 'lab':
      return client.shares(id);
    case 'workspace':
      return client.workspaces.shares(id);
    case 'snapshot':
      return client.snapshots.shares(id, { host: host ?? undefined });
  }
}

const isSame = (one: Share, other: Share): boolean => one.kind === other.kind && one.name === other.name;

/** The shares without the one of that user or group. */
export const without = (shares: readonly Share[], gone: Share): readonly Share[] =>
  shares.filter((one) => !isSame(one, gone));

/** The shares with one more, or with another right. */
export function withShare(shares: readonly Share[], wanted: Share): readonly Share[] {
  const isThere = shares.some((one) => isSame(one, wanted));
  return isThere ? shares.map((one) => (isSame(one, wanted) ? wanted : one)) : [...shares, wanted];
}

/** Changes the shares as they are at the server now: another browser may have changed them since. */
export function useChangeShares(thing: SharedThing) {
  const { kind, id } = thing;
  return useMutation({
    mutationFn: async (change: (now: readonly Share[]) => readonly Share[]) => {
      const shares = clientOf(thing);
      await shares.replace(change(await shares.list()));
    },
    onSettled: async () => fetchAgain([`${kind}s`], [kind, id]),
  });
}
