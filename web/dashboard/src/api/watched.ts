/** Whether the page is visible: a hidden page should not take a connection from other pages. */
import { useEffect, useState } from 'react';

/** A page closes its connections after this time in the background: browsers allow six per server for all pages together. */
const hiddenMs = 10_000;

/** Calls `begin` while the page is visible and `leave` when it was hidden for a while. Returns a function that stops this. */
export function whileWatched(begin: () => void, leave: () => void): () => void {
  let leaving: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(leaving);
    if (document.visibilityState === 'visible') begin();
    else leaving = setTimeout(leave, hiddenMs);
  };
  document.addEventListener('visibilitychange', look);
  // A page that was opened in the background begins when it becomes visible.
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    clearTimeout(leaving);
  };
}

/** Whether the page is visible, or was a moment ago. */
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
