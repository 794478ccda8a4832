/** What a user is on this server. Each role may do what the one before it may. */
export const roles = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

/**
 * What a route asks of whoever calls it. `public`: nothing, not even a login. `read`: any user. `operate`: a user who may start,
 * change and end labs; on whose, the handler finds out. `administer`: an administrator of the servers.
 */
export type Permission = 'public' | 'read' | 'operate' | 'administer';

/** The least role that may call a route with this permission; undefined when nobody need log in. */
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
