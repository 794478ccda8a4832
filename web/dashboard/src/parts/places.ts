/** The pages, as the frame, the palette and the shortcuts name them. */
export interface Place {
  readonly href: string;
  readonly label: string;
  /** After `g`, on the keyboard. */
  readonly key: string;
  /** Whether there is nothing to see where one service works alone. */
  readonly isOfCluster?: true;
}

/** All of them. Which of them there are on a server, `usePlaces` tells. */
export const places: readonly Place[] = [
  { href: '/', label: 'Labs', key: 'l' },
  { href: '/jobs', label: 'Jobs', key: 'j' },
  { href: '/workspaces', label: 'Workspaces', key: 'w' },
  { href: '/hosts', label: 'Hosts', key: 'h', isOfCluster: true },
  { href: '/settings', label: 'Settings', key: 's' },
];

/** The place that a path is in: `/labs/demo` is in Labs. */
export function placeOf(path: string): Place | undefined {
  const [, first = ''] = path.split('/');
  if (first === '' || first === 'labs') return places[0];
  return places.find(({ href }) => href === `/${first}`);
}

/** The id or the name that a path is of: `demo` for `/labs/demo`; undefined for a list. */
export function subjectOf(path: string): string | undefined {
  const [, , second] = path.split('/');
  if (second === undefined || second === '') return undefined;
  try {
    return decodeURIComponent(second);
  } catch {
    return second;
  }
}
