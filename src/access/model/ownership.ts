/** The rules of reading and changing. They are pure: the caller finds the owner and the directory of a resource. */
import { isInside } from '../../lib/files/path-inside.ts';
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
}

/** The user who asks. The symbolic links in `workdirs` are resolved. */
export type Asker = Pick<Principal, 'name' | 'role' | 'workdirs'>;

/** Whether there is anything that the user may not read. */
export function isNarrowed({ role, workdirs }: Asker): boolean {
  return role !== 'admin' && workdirs !== null;
}

/** A resource without a known owner does not belong to a user without a name. */
export function owns({ name }: Asker, { owner }: Pick<Resource, 'owner'>): boolean {
  return owner !== null && owner === name;
}

export function mayRead(asker: Asker, resource: Resource): boolean {
  const { workspaceOwner, directory } = resource;
  // Users may read all that is in their own workspaces, also if another user has made it.
  if (!isNarrowed(asker) || owns(asker, resource) || owns(asker, { owner: workspaceOwner })) return true;
  return directory !== null && (asker.workdirs ?? []).some((workdir) => isInside(workdir, directory));
}

/** Whether the user may change the resource. Users may not change a resource that they may not read. */
export function mayChange(asker: Asker, resource: Resource, ownership: Ownership): boolean {
  if (asker.role === 'admin') return true;
  if (asker.role === 'viewer' || !mayRead(asker, resource)) return false;
  return ownership === 'shared' || owns(asker, resource);
}

/** Whether the user may give the resource to another owner. */
export function mayGive(asker: Asker, resource: Resource): boolean {
  return asker.role === 'admin' || (asker.role === 'operator' && owns(asker, resource));
}
