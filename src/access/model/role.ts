/** The roles of users. Each role may do all that the role before it may do. */
export const roles = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

/**
 * The permission that a route needs. `public`: none, not even a login. `read`: any user. `operate`: a user who may start, change
 * and end labs; the handler decides about the single lab. `administer`: an administrator of the servers.
 */
export type Permission = 'public' | 'read' | 'operate' | 'administer';

/** The least role that may call a route with this permission; undefined if the route needs no login. */
export function roleFor(permission: Permission): Role | undefined {
  switch (permission) {
    case 'public':
      return undefined;
    case 'read':
      return 'viewer';
    case 'operate':
      return 'operator';
    case 'administer':
      return 'admin';
  }
}

export function roleMay(role: Role, permission: Permission): boolean {
  const least = roleFor(permission);
  return least === undefined || roles.indexOf(role) >= roles.indexOf(least);
}
