/** The pages, for the routes, the frame, the search dialog and the shortcuts. */
export interface Place {
  readonly href: string;
  readonly label: string;
  /** The key after `g`. */
  readonly key: string;
  /** Whether only a cluster has this page. */
  readonly isOfCluster?: true;
  /** Whether only administrators have this page. */
  readonly isForAdministrators?: true;
  /** Whether only a server with users has this page. */
  readonly isOfUsers?: true;
}

const all = [
  { href: '/', label: 'Labs', key: 'l' },
  { href: '/jobs', label: 'Jobs', key: 'j' },
  { href: '/workspaces', label: 'Workspaces', key: 'w' },
  { href: '/snapshots', label: 'Snapshots', key: 'n' },
  { href: '/hosts', label: 'Hosts', key: 'h', isOfCluster: true },
  { href: '/disk', label: 'Disk', key: 'd', isForAdministrators: true },
  { href: '/audit', label: 'Audit', key: 'a', isForAdministrators: true },
  { href: '/users', label: 'Users', key: 'u', isForAdministrators: true, isOfUsers: true },
  { href: '/settings', label: 'Settings', key: 's' },
] as const satisfies readonly Place[];

export type Href = (typeof all)[number]['href'];

/** All pages. `usePlaces` returns those of this server and user; `app.tsx` has the component of each. */
export const places: readonly (Place & { readonly href: Href })[] = all;

/** The page of a path: `/labs/demo` belongs to Labs. */
export function placeOf(path: string): Place | undefined {
  const [, first = ''] = path.split('/');
  if (first === '' || first === 'labs') return places[0];
  return places.find(({ href }) => href === `/${first}`);
}

/** The ID or name in a path: `demo` for `/labs/demo`; undefined for a list. */
export function subjectOf(path: string): string | undefined {
  const [, , second] = path.split('/');
  if (second === undefined || second === '') return undefined;
  try {
    return decodeURIComponent(second);
  } catch {
    return second;
  }
}
