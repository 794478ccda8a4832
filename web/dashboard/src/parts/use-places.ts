import { useIsCluster, useMayAdminister, useSession } from '../api/queries.ts';
import { places, type Place } from './places.ts';

/** The pages of this server that are for this user. */
export function usePlaces(): readonly Place[] {
  const isCluster = useIsCluster();
  const session = useSession().data;
  const mayAdminister = useMayAdminister();
  const isAdministrator = mayAdminister && session?.user !== null;
  return places.filter(
    ({ isOfCluster = false, isForAdministrators = false }) =>
      (isCluster || !isOfCluster) && (isAdministrator || !isForAdministrators),
  );
}
