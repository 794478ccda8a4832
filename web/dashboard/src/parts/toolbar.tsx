import { Group } from '@mantine/core';
import { useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';

interface ToolbarProps {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** The index after an arrow key, Home or End, from -1 for none; undefined for other keys. */
function indexAfter(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (index + 1) % count;
  if (key === 'ArrowLeft') return index <= 0 ? count - 1 : index - 1;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/** Buttons with one Tab stop: the arrow keys, Home and End go from one to the next (the toolbar of the ARIA patterns). */
export function Toolbar({ label, className, children }: ToolbarProps) {
  const bar = useRef<HTMLDivElement>(null);
  const last = useRef<HTMLButtonElement>(undefined);
  const hasFocus = useRef(false);
  const buttons = (): HTMLButtonElement[] => [...(bar.current?.querySelectorAll('button') ?? [])];
  const enabled = (): HTMLButtonElement[] => buttons().filter(({ disabled }) => !disabled);
  // After each change: buttons come and go, and the one with the Tab stop may be disabled.
  useLayoutEffect(() => {
    const stop = enabled().find((button) => button === last.current) ?? enabled()[0];
    for (const button of buttons()) button.tabIndex = button === stop ? 0 : -1;
    // A button that is disabled by its own press loses the focus. No other button gets it: a second press would be for that one.
    const isLost = hasFocus.current && last.current?.disabled === true;
    if (isLost) bar.current?.focus({ preventScroll: true });
  });
  const press = (event: KeyboardEvent): void => {
    const all = enabled();
    // Keys in a menu of a button come here too, though it is elsewhere on the page.
    const isHere = event.target === bar.current || all.some((button) => button === event.target);
    const index = all.findIndex((button) => button === event.target);
    const next = isHere ? indexAfter(event.key, index, all.length) : undefined;
    if (next === undefined) return;
    event.preventDefault();
    all[next]?.focus();
  };
  return (
    <Group
      ref={bar}
      gap={0}
      role="toolbar"
      aria-label={label}
      tabIndex={-1}
      {...(className !== undefined && { className })}
      onKeyDown={press}
      onFocus={() => {
        const focused = enabled().find((button) => button === document.activeElement);
        if (!focused) return;
        hasFocus.current = true;
        last.current = focused;
        for (const button of buttons()) button.tabIndex = button === focused ? 0 : -1;
      }}
      onBlur={({ target }) => {
        // The loss of a disabled button is none of the user.
        if (!(target instanceof HTMLButtonElement && target.disabled)) hasFocus.current = false;
      }}
    >
      {children}
    </Group>
  );
}
