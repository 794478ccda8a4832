/** What somebody has not saved yet, and a way out of the page: the one who leaves is asked first. */
import { useEffect } from 'react';
import type { AroundNavHandler } from 'wouter';
import { Store } from '../api/store.ts';

interface Leave {
  /** Goes where the person wanted to go. */
  readonly go: () => void;
}

/** Where somebody wants to go, as long as the question is open. */
export const wishToLeave = new Store<Leave | undefined>(undefined);

let mayLeave: ((to: URL) => boolean) | undefined;

/** From now on, whoever goes where `isFree` says no is asked; the result ends that. */
export function askBeforeLeaving(isFree: (to: URL) => boolean): () => void {
  mayLeave = isFree;
  return () => {
    if (mayLeave !== isFree) return;
    mayLeave = undefined;
    wishToLeave.set(undefined);
  };
}

/** The browser asks before the window is closed, as long as something would be lost. */
export function useQuestionBeforeClosing(isAsked: boolean): void {
  useEffect(() => {
    if (!isAsked) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isAsked]);
}

/** For the router: each way to another page of the dashboard goes through it, but for those of the browser (back, forward). */
export const aroundNavigation: AroundNavHandler = (navigate, to, options) => {
  const go = (): void => navigate(to, options);
  if (mayLeave === undefined || mayLeave(new URL(to, location.href))) return go();
  wishToLeave.set({ go });
};
