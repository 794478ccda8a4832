import { Box } from '@mantine/core';
import { useEffect, useRef } from 'react';

/** Growing text that stays at its end until the user scrolls up, also by keyboard. */
export function EndBox({
  text,
  label,
  className,
  onAtEnd,
}: {
  readonly text: string;
  readonly label: string;
  readonly className: string | undefined;
  readonly onAtEnd?: (isAtEnd: boolean) => void;
}) {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  });
  return (
    <Box
      component="pre"
      ref={box}
      className={className ?? ''}
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label={label}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        const isAt = scrollTop + clientHeight >= scrollHeight - 8;
        if (isAt !== isAtEnd.current) onAtEnd?.(isAt);
        isAtEnd.current = isAt;
      }}
    >
      {text}
    </Box>
  );
}
