/** Groups of users, and what users share with one another. */
import * as z from 'zod';
import type { GroupLimits } from './quotas.ts';

/** Users who work together, such as a class. */
export interface Group {
  readonly name: string;
  /** The names of users; the service does not check that they exist. */
  readonly members: readonly string[];
  /** Users who have the things of the members as if they were their own, as far as their role allows. */
  readonly leaders: readonly string[];
  /** Absent: none. */
  readonly quotas?: GroupLimits;
}

/** The groups of one user. */
export interface Membership {
  /** The groups that the user is a member or a leader of. */
  readonly groups: ReadonlySet<string>;
  /** The members of each group that the user leads. */
  readonly led: readonly ReadonlySet<string>[];
}

const noMembership: Membership = { groups: new Set(), led: [] };

interface Entry {
  readonly groups: Set<string>;
  readonly led: ReadonlySet<string>[];
}

/** All groups of a server. */
export class Groups {
  readonly all: readonly Group[];
  readonly #names: ReadonlySet<string>;
  readonly #entries = new Map<string, Entry>();

  constructor(groups: readonly Group[] = []) {
    this.all = groups;
    this.#names = new Set(groups.map(({ name }) => name));
    for (const { name, members, leaders } of groups) {
      // One set for all leaders: a file has room for 60,000 names.
      const led = new Set(members);
      for (const user of [...members, ...leaders]) this.#entry(user).groups.add(name);
      for (const leader of new Set(leaders)) this.#entry(leader).led.push(led);
    }
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  of(user: string | null): Membership {
    return this.#entries.get(user ?? '') ?? noMembership;
  }

  #entry(user: string): Entry {
    const known = this.#entries.get(user) ?? { groups: new Set(), led: [] };
    this.#entries.set(user, known);
    return known;
  }
}

export function leads({ led }: Membership, user: string): boolean {
  return led.some((members) => members.has(user));
}

/** Whether a user may have lost anything that was theirs by a group. */
export function hasLost(before: Membership, now: Membership): boolean {
  if (before === now) return false;
  const hasLeft = [...before.groups].some((name) => !now.groups.has(name));
  return hasLeft || before.led.some((members) => [...members].some((user) => !leads(now, user)));
}

/** The longest user name that a login accepts. */
export const userNameMax = 256;

/** Of a users file, and in shares. */
export const groupNamePattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$/;

export const shareSchema = z
  .strictObject({
    kind: z.enum(['user', 'group']).describe('Whether `name` names a user or a group.'),
    name: z
      .string()
      .min(1, 'must not be empty')
      .max(userNameMax, `must have at most ${userNameMax} characters`)
      .describe('The name of the user or the group. The service does not check that a user exists.'),
    as: z
      .enum(['viewer', 'operator'])
      .describe(
        '`viewer`: may read it. `operator`: may also use and change it, if the role of the user allows that. Of a snapshot, both may use it.',
      ),
  })
  // A reply, too, which a later version may add to.
  .meta({
    id: 'Share',
    description:
      'A user, or a group of the users file, with whom a lab, a workspace or a snapshot is shared.',
    additionalProperties: true,
  });

export type Share = Readonly<z.infer<typeof shareSchema>>;

/** As `lab share` takes them: `ann, @class:operator`. */
export function shareWords(shares: readonly Share[]): string {
  const wordOf = ({ kind, name, as }: Share): string =>
    `${kind === 'group' ? '@' : ''}${name}${as === 'viewer' ? '' : `:${as}`}`;
  return shares.map(wordOf).join(', ');
}

/** Of one lab, workspace or snapshot. */
export const maxShares = 100;
