import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

type Change = Readonly<Record<string, string | undefined>>;

interface Address {
  /** What stands behind the name in the address; undefined when it does not stand there. */
  readonly get: (name: string) => string | undefined;
  /** Undefined takes a name out. What one types is no step to go back to: `isStep` makes it one. */
  readonly change: (change: Change, isStep?: boolean) => void;
}

/** What a page shows is in its address: it can be sent to somebody, and one can go back. */
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
