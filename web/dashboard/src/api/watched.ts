/** Whether somebody looks at this page: what is followed for nobody takes a connection from the other pages. */
import { useEffect, useState } from 'react';

/** A page that nobody looks at lets go of its connections after that: browsers have six for all pages of a server. */
const hiddenMs = 10_000;

/** Calls `begin` when somebody looks at the page, now or later, and `leave` when nobody does; the result ends that. */
export function whileWatched(begin: () => void, leave: () => void): () => void {
  let leaving: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(leaving);
    if (document.visibilityState === 'visible') begin();
    else leaving = setTimeout(leave, hiddenMs);
  };
  document.addEventListener('visibilitychange', look);
  // A page that was opened in the background begins when somebody looks at it.
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    clearTimeout(leaving);
  };
}

/** Whether somebody looks at the page, or did a moment ago. */
export function useWatched(): boolean {
  const [isWatched, setWatched] = useState(document.visibilityState === 'visible');
  useEffect(
    () =>
      whileWatched(
        () => setWatched(true),
        () => setWatched(false),
      ),
    [],
  );
  return isWatched;
}
