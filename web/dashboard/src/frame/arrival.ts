/** Moves the focus and the scroll position after a navigation, as browsers do for new documents. */
import { useEffect, useRef, type RefObject } from 'react';

/** How long a page may take to reach its former height. */
const growsMs = 3_000;

/** The scroll position of each address, to restore it on the way back. */
const left = new Map<string, number>();
/** Whether the navigation goes through the history. */
let goesBack = false;

history.scrollRestoration = 'manual';
window.addEventListener('popstate', () => (goesBack = true));

const here = (): string => location.pathname + location.search;

/** Scrolls there as soon as the page is long enough, unless the user scrolls first. Returns a function that stops it. */
function scrollOnceLong(y: number): () => void {
  const isLong = (): boolean => document.documentElement.scrollHeight - window.innerHeight >= y;
  const growth = new ResizeObserver(() => {
    if (!isLong()) return;
    window.scrollTo(0, y);
    end();
  });
  const end = (): void => {
    growth.disconnect();
    clearTimeout(timer);
    for (const event of ['wheel', 'touchmove', 'keydown']) window.removeEventListener(event, end);
  };
  const timer = setTimeout(end, growsMs);
  growth.observe(document.body);
  for (const event of ['wheel', 'touchmove', 'keydown'])
    window.addEventListener(event, end, { passive: true });
  return end;
}

/** Stores the scroll position of the current address. */
export function useScrollKept(): void {
  useEffect(() => {
    const note = (): void => void left.set(here(), window.scrollY);
    window.addEventListener('scroll', note, { passive: true });
    return () => window.removeEventListener('scroll', note);
  }, []);
}

/** On each new path: focuses the content, and scrolls to the top, or to the stored position on the way back. */
export function useArrival(path: string, content: RefObject<HTMLElement | null>): void {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return undefined;
    before.current = path;
    const y = goesBack ? (left.get(here()) ?? 0) : 0;
    goesBack = false;
    content.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
    return y > 0 ? scrollOnceLong(y) : undefined;
  }, [path, content]);
}
