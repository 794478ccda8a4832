import { anybody, type Principal } from '../../access/model/principal.ts';
import type { Asker } from './message.ts';

/** The host that was asked first ends the request when the login ends. */
const neverRevoked = new AbortController().signal;

/** The user who sent a request to another host, as this host knows them. */
export function principalOf(asker: Asker): Principal {
  return asker === null ? anybody : { ...asker, loggedInBy: 'host', revoked: neverRevoked };
}
