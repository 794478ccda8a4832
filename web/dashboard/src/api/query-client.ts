/** The cache of the data of the service. Events keep it up to date (live.ts); traffic alone is polled. */
import { MutationCache, QueryCache, QueryClient, type Query, type QueryKey } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { ConnectionError, ServiceError } from '../../../../src/client/service-error.ts';
import { Store } from './store.ts';

/** Whether there is no valid login: the page asks for one in place. */
export const needsLogin = new Store(false);

function noteRefusal(error: unknown): void {
  if (error instanceof ServiceError && error.status === 401) needsLogin.set(true);
}

/** A restarting service is worth a retry; a refusal is not. */
function isWorthAnother(failures: number, error: unknown): boolean {
  const isAway = error instanceof ServiceError ? error.isAway : error instanceof ConnectionError;
  return isAway && failures < 5;
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteRefusal }),
  mutationCache: new MutationCache({ onError: noteRefusal }),
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      refetchOnWindowFocus: false,
      // Browsers report the state of the internet connection, and lab servers often have none.
      networkMode: 'always',
      retry: isWorthAnother,
    },
    mutations: { networkMode: 'always' },
  },
});

/** Invalidates a query once more when its fetch has ended. One that has begun since then is newer than the change. */
async function fetchAfter({ queryKey, promise }: Query): Promise<void> {
  await Promise.allSettled([promise]);
  await queryClient.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
}

/**
 * Fetches the queries again that begin with one of these keys, as far as they are shown, and waits for that; `[]` means all queries.
 * `invalidateQueries` does not restart a first fetch that is under way, nor one for a query that is no longer shown. Its answer may
 * be older than the change and would count as new: the query is invalidated once more when that fetch has ended, also if it fails.
 */
export async function fetchAgain(...keys: readonly QueryKey[]): Promise<void> {
  const cache = queryClient.getQueryCache();
  const underWay = keys.flatMap((queryKey) => cache.findAll({ queryKey, fetchStatus: 'fetching' }));
  const left = underWay.filter((query) => !query.isActive());
  const first = underWay.filter((query) => query.isActive() && query.state.data === undefined);
  // These before `invalidateQueries`, which begins other fetches.
  for (const query of left) void fetchAfter(query);
  await Promise.all([
    ...first.map(fetchAfter),
    ...keys.map(async (queryKey) => queryClient.invalidateQueries({ queryKey })),
  ]);
}

/** The data, unless the service has refused it since: what it describes may be gone. */
function stillKnown(key: QueryKey): unknown {
  const state = queryClient.getQueryState(key);
  return state?.error instanceof ServiceError ? undefined : state?.data;
}

/**
 * Returns cached data without fetching it. Not `useQuery` with a skipped function: a query takes the options of its latest observer,
 * and a later refresh would have no function to fetch with.
 */
export function useKnown(...key: readonly string[]): unknown {
  const watch = useCallback((changed: () => void) => queryClient.getQueryCache().subscribe(changed), []);
  return useSyncExternalStore(watch, () => stillKnown(key));
}
