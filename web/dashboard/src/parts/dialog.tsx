import { Modal, type ModalProps } from '@mantine/core';
import { useLayoutEffect } from 'react';

/** The element with the focus, or the button of the menu that it is in: an item goes with its menu. */
function openerOf(focused: Element | null): Element | null {
  const menu = focused?.closest('[role="menu"]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : focused;
}

/** Gives the focus back to the opener of the dialog, or to the page if that is gone, such as the search of Ctrl K. */
function useFocusBack(isOpen: boolean): void {
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const opener = openerOf(document.activeElement);
    return () => {
      const isPart =
        opener !== document.body && (opener instanceof HTMLElement || opener instanceof SVGElement);
      if (isPart) opener.focus({ preventScroll: true });
      // It may be gone, hidden or disabled by now.
      if (!isPart || document.activeElement !== opener)
        document.querySelector<HTMLElement>('#content')?.focus({ preventScroll: true });
    };
  }, [isOpen]);
}

/** A modal dialog, also one that is mounted only while it is open. */
export function Dialog(props: ModalProps) {
  useFocusBack(props.opened);
  return <Modal {...props} returnFocus={false} />;
}
