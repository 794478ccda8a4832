import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

type Change = Readonly<Record<string, string | undefined>>;

interface Address {
  /** The value of a parameter of the address; undefined if it is missing. */
  readonly get: (name: string) => string | undefined;
  /** Undefined removes a parameter. The change replaces the history entry, unless `isStep` is set. */
  readonly change: (change: Change, isStep?: boolean) => void;
}

/** The state of a page is in its address, so that it can be shared, and the user can go back. */
export function useAddress(): Address {
  const [params, setParams] = useSearchParams();
  const change = useCallback<Address['change']>(
    (news, isStep = false) =>
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries(news))
            if (value === undefined) next.delete(name);
            else next.set(name, value);
          return next;
        },
        { replace: !isStep },
      ),
    [setParams],
  );
  return { get: (name) => params.get(name) ?? undefined, change };
}
