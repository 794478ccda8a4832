import { useLayoutEffect } from 'react';

/** Gives the focus back to the element that opened the dialog, or to the page if that is gone, such as the search of Ctrl K. */
export function useFocusBack(isOpen: boolean): void {
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const opener = document.activeElement;
    return () => {
      const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
      const back = isThere ? opener : document.querySelector<HTMLElement>('#content');
      back?.focus({ preventScroll: true });
    };
  }, [isOpen]);
}
