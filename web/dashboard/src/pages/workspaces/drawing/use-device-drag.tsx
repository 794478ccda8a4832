/** Devices that are dragged from the palette to the drawing. */
import { Paper, Portal, Text } from '@mantine/core';
import { useEffect, useEffectEvent, useRef, useState, type MouseEvent, type PointerEvent } from 'react';
import type { Point } from '../../../../../../src/labs/picture/picture.ts';

interface Drag {
  readonly device: string;
  /** In the window. */
  readonly at: Point;
}

/** A shorter way of the pointer is a press. */
const shortest = 4;

const pointOf = ({ clientX: x, clientY: y }: PointerEvent): Point => ({ x, y });

/** `begins` is called for each drag, `ends` with the place in the window. A touch is no drag: it scrolls the page. */
export function useDeviceDrag(begins: () => void, ends: (device: string, at: Point) => void) {
  const [drag, setDrag] = useState<Drag>();
  const from = useRef<Point>(undefined);
  const hasMoved = useRef(false);
  const end = (): void => {
    from.current = undefined;
    setDrag(undefined);
  };
  const cancelDrag = useEffectEvent(end);
  const isDragged = drag !== undefined;
  useEffect(() => {
    if (!isDragged) return undefined;
    const press = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') cancelDrag();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [isDragged]);
  const handlers = (device: string) => ({
    onPointerDown: (event: PointerEvent) => {
      hasMoved.current = false;
      if (event.button !== 0 || event.pointerType === 'touch') return;
      from.current = pointOf(event);
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      const at = pointOf(event);
      if (!from.current) return;
      const way = Math.hypot(at.x - from.current.x, at.y - from.current.y);
      if (!hasMoved.current && way < shortest) return;
      if (!hasMoved.current) begins();
      hasMoved.current = true;
      setDrag({ device, at });
    },
    onPointerUp: (event: PointerEvent) => {
      if (drag) ends(device, pointOf(event));
      end();
    },
    onPointerCancel: end,
    // The end of a drag is no press; a press with a key has no detail.
    onClickCapture: (event: MouseEvent) => {
      if (hasMoved.current && event.detail > 0) event.stopPropagation();
    },
  });
  return { handlers, ghost: drag && <Ghost {...drag} /> };
}

/** The dragged device at the pointer. */
function Ghost({ device, at }: Drag) {
  return (
    <Portal>
      <Paper
        withBorder
        shadow="md"
        px="sm"
        py={4}
        pos="fixed"
        left={at.x}
        top={at.y}
        style={{ transform: 'translate(-50%, -50%)', pointerEvents: 'none', zIndex: 400 }}
        aria-hidden
      >
        <Text size="sm">{device}</Text>
      </Paper>
    </Portal>
  );
}
