/** Asks before the user leaves a page with unsaved changes. */
import { useEffect } from 'react';
import type { AroundNavHandler } from 'wouter';
import { Store } from '../api/store.ts';

interface Leave {
  /** Continues the navigation. */
  readonly go: () => void;
}

/** The navigation that waits for an answer. */
export const wishToLeave = new Store<Leave | undefined>(undefined);

let mayLeave: ((to: URL) => boolean) | undefined;

/** From now on, asks before each navigation for which `isFree` returns false. Returns a function that stops it. */
export function askBeforeLeaving(isFree: (to: URL) => boolean): () => void {
  mayLeave = isFree;
  return () => {
    if (mayLeave !== isFree) return;
    mayLeave = undefined;
    wishToLeave.set(undefined);
  };
}

/** Makes the browser ask before the window is closed. */
export function useQuestionBeforeClosing(isAsked: boolean): void {
  useEffect(() => {
    if (!isAsked) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isAsked]);
}

/** For the router: handles all navigations inside the dashboard, except those of the browser (back, forward). */
export const aroundNavigation: AroundNavHandler = (navigate, to, options) => {
  const go = (): void => navigate(to, options);
  if (mayLeave === undefined || mayLeave(new URL(to, location.href))) return go();
  wishToLeave.set({ go });
};
