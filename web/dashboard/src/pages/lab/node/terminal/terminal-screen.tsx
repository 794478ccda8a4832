import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { TerminalSession } from './terminal-session.ts';
import styles from './terminal.module.css';

/** Where a terminal is seen: it follows the size of its place, and the colours of the page. */
export function TerminalScreen({
  session,
  onLeave,
}: {
  readonly session: TerminalSession;
  readonly onLeave: () => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const look = useComputedColorScheme('light', { getInitialValueInEffect: false });
  useLayoutEffect(() => session.wear(look), [session, look]);
  useEffect(() => session.whenLeft(onLeave));
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const remove = session.show(element);
    // Somebody who goes through the picture of the lab by keyboard is not drawn away from it.
    const { activeElement } = document;
    const isFree = activeElement === null || activeElement === document.body;
    if (isFree || element.closest('section')?.contains(activeElement)) session.focus();
    const watch = new ResizeObserver(() => session.fit());
    watch.observe(element);
    return () => {
      watch.disconnect();
      remove();
    };
  }, [session]);
  return (
    <div className={styles['screen']}>
      {/* Escape is for programs in the node, not for whatever of the page closes with it. */}
      <div
        ref={place}
        className={styles['place']}
        role="presentation"
        onKeyDown={(event) => event.stopPropagation()}
      />
    </div>
  );
}
