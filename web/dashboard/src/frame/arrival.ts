/** What a browser does on each new page, and has to be done by hand where a page only changes: focus, and where one has scrolled to. */
import { useEffect, useRef, type RefObject } from 'react';

/** How long a page may take to become as long as it was. */
const growsMs = 3_000;

/** How far one had scrolled, by address: for the way back. */
const left = new Map<string, number>();
/** Whether the person goes through the history, and has not followed a link. */
let goesBack = false;

history.scrollRestoration = 'manual';
window.addEventListener('popstate', () => (goesBack = true));

const here = (): string => location.pathname + location.search;

/** Scrolls there as soon as the page is long enough, unless the person scrolls first; the result ends that. */
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

/** Keeps how far one has scrolled while the address is this one. */
export function useScrollKept(): void {
  useEffect(() => {
    const note = (): void => void left.set(here(), window.scrollY);
    window.addEventListener('scroll', note, { passive: true });
    return () => window.removeEventListener('scroll', note);
  }, []);
}

/** On each change of the path: the focus to the content, and the top of the page, or where one was when one goes back. */
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
