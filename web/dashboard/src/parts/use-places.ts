import { useIsCluster } from '../api/queries.ts';
import { places, type Place } from './places.ts';

const ofOneService = places.filter(({ isOfCluster = false }) => !isOfCluster);

/** The pages of this server. */
export const usePlaces = (): readonly Place[] => (useIsCluster() ? places : ofOneService);
