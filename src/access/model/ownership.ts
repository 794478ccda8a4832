/** The rules of reading and changing. They are pure: the caller finds the owner and the directory of a resource. */
import { isInside } from '../../lib/files/path-inside.ts';
import { leads, type Membership, type Share } from './groups.ts';
import type { Principal } from './principal.ts';

/** LAB_API_OWNERSHIP. `shared`: operators may change all that they may read. `strict`: they may change only their own. */
export type Ownership = 'shared' | 'strict';

/** A job, a lab or a workspace: it may have an owner. */
export interface Resource {
  /** A user's name; null if the owner is unknown, or if the server had no users then. */
  readonly owner: string | null;
  /** The owner of the workspace that it is in; null if it is in none, or if the owner is unknown. */
  readonly workspaceOwner: string | null;
  /** Its directory: absolute, symbolic links resolved; null if it has none. */
  readonly directory: string | null;
  /** With whom it is shared, or the workspace that it is in. */
  readonly shares: readonly Share[];
}

/** The user who asks. The symbolic links in `workdirs` are resolved. */
export type Asker = Pick<Principal, 'name' | 'role' | 'workdirs'> & Membership;

/** Whether there is anything that the user may not read. */
export function isNarrowed({ role, workdirs }: Pick<Asker, 'role' | 'workdirs'>): boolean {
  return role !== 'admin' && workdirs !== null;
}

/** A resource without a known owner does not belong to a user without a name. */
function owns({ name }: Pick<Asker, 'name'>, owner: string | null): boolean {
  return owner !== null && owner === name;
}

/** Whether the owner is the user, or a member of a group that the user leads. */
export function hasAsOwn(asker: Asker, owner: string | null): boolean {
  return owns(asker, owner) || (owner !== null && leads(asker, owner));
}

/** Whether the resource is shared with the user, or with a group of theirs; with `as`, for that at least. */
function isSharedWith({ name, groups }: Asker, { shares }: Resource, as: Share['as']): boolean {
  return shares.some((share) => {
    const isWithUser = share.kind === 'user' ? share.name === name : groups.has(share.name);
    return isWithUser && (as === 'viewer' || share.as === 'operator');
  });
}

/** Whether the user may read the resource without a share. */
function isInSight(asker: Asker, { owner, workspaceOwner, directory }: Resource): boolean {
  // Users may read all that is in their own workspaces, also if another user has made it.
  if (!isNarrowed(asker) || hasAsOwn(asker, owner) || hasAsOwn(asker, workspaceOwner)) return true;
  return directory !== null && (asker.workdirs ?? []).some((workdir) => isInside(workdir, directory));
}

export function mayRead(asker: Asker, resource: Resource): boolean {
  return isInSight(asker, resource) || isSharedWith(asker, resource, 'viewer');
}

/** Whether jobs of the user may work in a place. */
export function mayWorkIn(asker: Asker, place: Resource): boolean {
  return isInSight(asker, place) || isSharedWith(asker, place, 'operator');
}

/** Whether the user may change the resource. Users may not change a resource that they may not read. */
export function mayChange(asker: Asker, resource: Resource, ownership: Ownership): boolean {
  if (asker.role === 'admin') return true;
  if (asker.role === 'viewer') return false;
  const { owner, workspaceOwner } = resource;
  // The owner of a workspace is never at the mercy of those who have started something in it.
  if (hasAsOwn(asker, owner) || hasAsOwn(asker, workspaceOwner)) return true;
  if (isSharedWith(asker, resource, 'operator')) return true;
  return ownership === 'shared' && isInSight(asker, resource);
}

/** Whether the user may give the resource to another owner, or share it. In a workspace, that is up to its owner. */
export function mayGive(
  asker: Asker,
  { owner, workspaceOwner }: Pick<Resource, 'owner' | 'workspaceOwner'>,
): boolean {
  return asker.role === 'admin' || (asker.role === 'operator' && owns(asker, workspaceOwner ?? owner));
}
