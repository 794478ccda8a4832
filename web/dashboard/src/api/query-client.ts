/** What the page knows of the service. Events keep it fresh (live.ts): nothing is asked again and again. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { ConnectionError, ServiceError } from '../../../../src/client/service-error.ts';
import { Store } from './store.ts';

/** Whether the login has ended, or there was none: the page asks for one in place. */
export const needsLogin = new Store(false);

function noteRefusal(error: unknown): void {
  if (error instanceof ServiceError && error.status === 401) needsLogin.set(true);
}

/** A service that restarts is worth a second question; one that refuses is not. */
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
      // The browser's word on that is about the internet, and lab servers are often without.
      networkMode: 'always',
      retry: isWorthAnother,
    },
    mutations: { networkMode: 'always' },
  },
});

/**
 * What the page knows already under a key, as long as somebody else asks for it. Not `useQuery` without a function: a query has
 * the options of whoever was drawn last, and would then have none to ask with when it is to be asked for again.
 */
export function useKnown(...key: readonly string[]): unknown {
  const watch = useCallback((changed: () => void) => queryClient.getQueryCache().subscribe(changed), []);
  return useSyncExternalStore(watch, () => queryClient.getQueryData(key));
}
