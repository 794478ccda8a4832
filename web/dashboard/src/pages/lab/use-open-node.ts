import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

const firstTab = 'overview';

/** Which node's drawer is open, and what of it: in the address bar, so that it can be sent to somebody. */
export function useOpenNode() {
  const [query, setQuery] = useSearchParams();
  const open = useCallback(
    (node: string) =>
      setQuery((before) => {
        const next = new URLSearchParams(before);
        next.set('node', node);
        return next;
      }),
    [setQuery],
  );
  const close = useCallback(
    () =>
      setQuery((before) => {
        const next = new URLSearchParams(before);
        next.delete('node');
        next.delete('tab');
        return next;
      }),
    [setQuery],
  );
  const showTab = useCallback(
    (tab: string) =>
      setQuery(
        (before) => {
          const next = new URLSearchParams(before);
          next.set('tab', tab);
          return next;
        },
        { replace: true },
      ),
    [setQuery],
  );
  return { node: query.get('node') ?? undefined, tab: query.get('tab') ?? firstTab, open, close, showTab };
}
