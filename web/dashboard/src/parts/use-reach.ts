import { useService, useSession } from '../api/queries.ts';
import { addressOf } from '../api/service.ts';
import type { Reach } from './shell-words.ts';

/** How commands on the computer of the user reach the service. */
export function useReach(): Reach {
  const user = useSession().data?.user ?? null;
  const pin = useService().data?.tlsPin ?? null;
  return { url: location.origin + addressOf(''), user, pin };
}
