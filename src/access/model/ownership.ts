/** Who may see and change what. Pure: whose something is, and where it lies, is found out by whoever asks. */
import { isInside } from '../../lib/files/path-inside.ts';
import type { Principal } from './principal.ts';

/** LAB_API_OWNERSHIP. `shared`: an operator may change whatever he may read. `strict`: what he owns. */
export type Ownership = 'shared' | 'strict';

/** Anything that somebody may own: a job, a lab, a workspace. */
export interface Resource {
  /** A user's name; null when nobody knows, or on a server where nobody logged in then. */
  readonly owner: string | null;
  /** Whose the workspace is that it lies in; null when it lies in none, or nobody knows. */
  readonly workspaceOwner: string | null;
  /** Where it lies: absolute, symbolic links resolved; null when it lies nowhere. */
  readonly directory: string | null;
}

/** Whoever asks, with `workdirs` as they are on this machine now: symbolic links resolved. */
export type Asker = Pick<Principal, 'name' | 'role' | 'workdirs'>;

/** Whether there is anything that he may not read. */
export function isNarrowed({ role, workdirs }: Asker): boolean {
  return role !== 'admin' && workdirs !== null;
}

/** What nobody is known to own is not that of somebody without a name. */
export function owns({ name }: Asker, { owner }: Pick<Resource, 'owner'>): boolean {
  return owner !== null && owner === name;
}

export function mayRead(asker: Asker, resource: Resource): boolean {
  const { workspaceOwner, directory } = resource;
  // What lies in a workspace of his is his to see, whoever made it.
  if (!isNarrowed(asker) || owns(asker, resource) || owns(asker, { owner: workspaceOwner })) return true;
  return directory !== null && (asker.workdirs ?? []).some((workdir) => isInside(workdir, directory));
}

/** Whether one whose role may change things may change this. What he may not read, he may not change. */
export function mayChange(asker: Asker, resource: Resource, ownership: Ownership): boolean {
  if (asker.role === 'admin') return true;
  if (asker.role === 'viewer' || !mayRead(asker, resource)) return false;
  return ownership === 'shared' || owns(asker, resource);
}

/** Whether he may say whose it is from now on: its owner may give it away. */
export function mayGive(asker: Asker, resource: Resource): boolean {
  return asker.role === 'admin' || (asker.role === 'operator' && owns(asker, resource));
}
