import type { Role } from './role.ts';

/** Who has sent a request, and by what that is known. */
export interface Principal {
  /** The user's name; null on a server where nobody logs in. */
  readonly name: string | null;
  readonly role: Role;
  /** The only directories (absolute) that the user may see and work in, besides workspaces of their own; null for all. */
  readonly workdirs: readonly string[] | null;
  readonly loggedInBy: 'nothing' | 'password' | 'token' | 'session' | 'proxy' | 'host';
  /** Of the token that it came by. */
  readonly tokenId?: string;
  /** Aborted when that holds no more: the user was removed or changed, the token revoked, the session ended. Streams end then. */
  readonly revoked: AbortSignal;
}

/** Whoever comes to a server where nobody logs in. */
export const anybody: Principal = {
  name: null,
  role: 'admin',
  workdirs: null,
  loggedInBy: 'nothing',
  // Never: there is nothing to take back.
  revoked: new AbortController().signal,
};
