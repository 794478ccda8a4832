import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Lab, LabTraffic } from '../../../../../../src/client/api-types.ts';
import type { LinkRates } from '../../../../../../src/client/link-rates.ts';
import { queryClient } from '../../../api/query-client.ts';
import { client } from '../../../api/service.ts';
import { withReading, type WatchedTraffic } from './traffic.ts';

/** No event tells of packets: this is asked for, as long as the page is visible. */
const everyMs = 2_000;

export interface Traffic {
  /** Whether the user wants to see it, here and in other labs. */
  readonly isOn: boolean;
  readonly toggle: () => void;
  /** Undefined when it is not watched, or not known yet. */
  readonly rates: LinkRates | undefined;
  readonly unread: LabTraffic['unread'];
  /** Why it is not known; undefined when it is, or not wanted. */
  readonly problem: string | undefined;
}

/** The traffic of the links of a lab, while the user wants to see it and the lab runs. */
export function useTraffic({ id, state }: Pick<Lab, 'id' | 'state'>): Traffic {
  const [isOn, setOn] = useLocalStorage({
    key: 'lab-api.traffic',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const isWatched = isOn && state === 'started';
  const queryKey = ['traffic', id];
  const { data, error } = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      withReading(queryClient.getQueryData<WatchedTraffic>(queryKey), await client.traffic(id, { signal })),
    enabled: isWatched,
    refetchInterval: everyMs,
    staleTime: 0,
    retry: false,
    structuralSharing: false,
  });
  const shown = isWatched && error === null ? data : undefined;
  const nothing = shown?.reading.nodes.length === 0 ? 'no interface can be measured' : undefined;
  const waiting = isWatched && shown?.rates === undefined ? 'measuring' : undefined;
  return {
    isOn,
    toggle: () => setOn(!isOn),
    rates: shown?.rates,
    unread: shown?.reading.unread ?? [],
    problem: (isWatched ? error?.message : undefined) ?? nothing ?? waiting,
  };
}
