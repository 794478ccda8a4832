import type { Role } from './role.ts';

/** The user who has sent a request, and how that user is known. */
export interface Principal {
  /** The user's name; null on a server without users. */
  readonly name: string | null;
  readonly role: Role;
  /** The only directories (absolute) that the user may see and work in, besides workspaces of their own; null for all. */
  readonly workdirs: readonly string[] | null;
  /** `key`: by a key of SSH. `provider`: by a session that began at the identity provider. */
  readonly loggedInBy: 'nothing' | 'password' | 'token' | 'key' | 'session' | 'provider' | 'proxy' | 'host';
  /** The id of the token that the user has sent. */
  readonly tokenId?: string;
  /** Aborted when the credential becomes invalid: the user was removed or changed, the token revoked, the session ended. Streams end then. */
  readonly revoked: AbortSignal;
}

/** The principal of all requests on a server without users. */
export const anybody: Principal = {
  name: null,
  role: 'admin',
  workdirs: null,
  loggedInBy: 'nothing',
  // Never aborted: there is no credential to revoke.
  revoked: new AbortController().signal,
};
