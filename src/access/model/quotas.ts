/** How much users may have at the same time. */
import type { Group } from './groups.ts';
import type { Role } from './role.ts';
import type { User } from './user.ts';

/** `jobs` are those that wait or run. */
export const countedResources = ['labs', 'nodes', 'jobs', 'workspaceBytes'] as const;
export type CountedResource = (typeof countedResources)[number];

/** `Infinity`: no limit, whatever a group or a role says. Absent: the next of those decides. */
export type Limits = Readonly<Partial<Record<CountedResource, number>>>;

/** The limits of one user. */
export interface UserLimits extends Limits {
  /** The longest lease of a lab. */
  readonly leaseMs?: number;
}

/** The limits of a group of the users file. */
export interface GroupLimits {
  /** Of each member that has none of their own. */
  readonly each?: UserLimits;
  /** Of all members together. */
  readonly together?: Limits;
}

/** The limits that belong to no user and to no group. */
export interface ServerLimits {
  /** Of all users together, and of labs without a known owner. */
  readonly server?: Limits;
  /** Of each user of a role to whom neither their own entry nor a group gives a limit. */
  readonly roles?: Readonly<Partial<Record<Role, UserLimits>>>;
}

/** Limits with those to whose things they apply. */
export interface Quota {
  readonly kind: 'user' | 'group' | 'server';
  /** Of the user or the group; null for the server. */
  readonly name: string | null;
  readonly limits: Limits;
  /** Whether a thing of this owner counts; null: its owner is unknown. */
  readonly counts: (owner: string | null) => boolean;
}

/** The most generous one. */
function largest(values: readonly (number | undefined)[]): number | undefined {
  const given = values.filter((value) => value !== undefined);
  return given.length === 0 ? undefined : Math.max(...given);
}

/** The quotas of a users file. */
export class Quotas {
  readonly #limits: ServerLimits;
  readonly #ofUsers: ReadonlyMap<string, UserLimits>;
  readonly #groups: readonly {
    readonly name: string;
    readonly members: ReadonlySet<string>;
    readonly quotas: GroupLimits;
  }[];

  constructor(limits: ServerLimits = {}, users: readonly User[] = [], groups: readonly Group[] = []) {
    this.#limits = limits;
    this.#ofUsers = new Map(users.flatMap(({ name, quotas }) => (quotas ? [[name, quotas] as const] : [])));
    this.#groups = groups.flatMap(({ name, members, quotas }) => {
      return quotas ? [{ name, members: new Set(members), quotas }] : [];
    });
  }

  /** Whether any of them limits nodes: counting them takes time. */
  get limitNodes(): boolean {
    const { server, roles = {} } = this.#limits;
    const ofGroups = this.#groups.flatMap(({ quotas: { each, together } }) => [each, together]);
    const all = [server, ...Object.values(roles), ...ofGroups, ...this.#ofUsers.values()];
    return all.some((limits) => limits?.nodes !== undefined);
  }

  /** The limits of one user: of their own entry, else the largest that a group gives, else of their role. */
  limitsOf(name: string, role: Role): UserLimits {
    const own = this.#ofUsers.get(name) ?? {};
    const ofGroups = this.#groupsOf(name).map(({ quotas }) => quotas.each ?? {});
    const ofRole = this.#limits.roles?.[role] ?? {};
    const limits = [...countedResources, 'leaseMs' as const].map((resource) => {
      const given = largest(ofGroups.map((each) => each[resource]));
      return [resource, own[resource] ?? given ?? ofRole[resource]] as const;
    });
    return Object.fromEntries(limits.filter(([, limit]) => limit !== undefined && limit !== Infinity));
  }

  /** All quotas that limit a user: first their own, then those of their groups and of the server. */
  of(name: string, role: Role): readonly [Quota, ...Quota[]] {
    const { leaseMs: _leaseMs, ...limits } = this.limitsOf(name, role);
    const { server } = this.#limits;
    return [
      { kind: 'user', name, limits, counts: (owner) => owner === name },
      ...this.#groupsOf(name).flatMap(({ name: group, members, quotas: { together } }): Quota[] => {
        if (together === undefined) return [];
        return [
          { kind: 'group', name: group, limits: together, counts: (owner) => members.has(owner ?? '') },
        ];
      }),
      ...(server ? [{ kind: 'server' as const, name: null, limits: server, counts: () => true }] : []),
    ];
  }

  #groupsOf(name: string) {
    return this.#groups.filter(({ members }) => members.has(name));
  }
}
