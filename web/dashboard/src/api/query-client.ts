/** The cache of the data of the service. Events keep it up to date (live.ts); traffic alone is polled. */
import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query';
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

/**
 * Fetches the queries again that begin with one of these keys, as far as they are shown; `[]` begins them all. A first fetch that is
 * under way is repeated when it ends: `invalidateQueries` joins it, but its answer may be older than the change.
 */
export async function fetchAgain(...keys: readonly QueryKey[]): Promise<void> {
  const first = keys.flatMap((queryKey) =>
    queryClient.getQueryCache().findAll({
      queryKey,
      fetchStatus: 'fetching',
      predicate: ({ state }) => state.data === undefined,
    }),
  );
  await Promise.all([
    ...keys.map(async (queryKey) => queryClient.invalidateQueries({ queryKey })),
    ...first.map(async ({ queryKey }) => {
      const one = { queryKey, exact: true };
      await queryClient.refetchQueries(one);
      await queryClient.invalidateQueries(one);
    }),
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
