import { useCallback, useSyncExternalStore } from 'react';
import { queryClient } from './query-client.ts';

/**
 * What the page knows already under a key, as long as somebody else asks for it. Not `useQuery` without a function: a query has
 * the options of whoever was drawn last, and would then have none to ask with when it is to be asked for again.
 */
export function useKnown(...key: readonly string[]): unknown {
  const watch = useCallback((changed: () => void) => queryClient.getQueryCache().subscribe(changed), []);
  return useSyncExternalStore(watch, () => queryClient.getQueryData(key));
}
