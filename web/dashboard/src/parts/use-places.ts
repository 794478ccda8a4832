import { useIsCluster, useMayAdminister, useSession } from '../api/queries.ts';
import { places, type Place } from './places.ts';

/** The pages of this server that are for this user. */
export function usePlaces(): readonly Place[] {
  const isCluster = useIsCluster();
  const mayAdminister = useMayAdminister();
  const hasUsers = useSession().data?.user !== null;
  return places.filter(
    ({ isOfCluster = false, isForAdministrators = false, isOfUsers = false }) =>
      (isCluster || !isOfCluster) && (mayAdminister || !isForAdministrators) && (hasUsers || !isOfUsers),
  );
}
