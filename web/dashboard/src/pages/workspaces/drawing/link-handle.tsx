import { IconLine } from '@tabler/icons-react';
import { useInternalNode, useStore, useViewport } from '@xyflow/react';
import { useEffect, useRef, useState, type PointerEvent } from 'react';
import { nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import type { Point } from '../../../../../../src/labs/picture/picture.ts';
import type { Drawing } from '../../../parts/drawing/drawing.ts';
import { targetOf, targetWords, type LinkTarget } from './link-targets.ts';
import { ofBox } from './selection.ts';
import classes from './drawing-canvas.module.css';

/** The box or line below an element. */
export const itemAt = (element: EventTarget | null): HTMLElement | SVGElement | null =>
  element instanceof Element ? element.closest<HTMLElement>('.react-flow__node, .react-flow__edge') : null;

/** The node with the pointer or the focus, if any. */
function useNodeAtHand(canvas: HTMLElement | null): string | undefined {
  const [hovered, setHovered] = useState<string>();
  const [focused, setFocused] = useState<string>();
  useEffect(() => {
    if (!canvas) return;
    const nodeAt = (target: EventTarget | null): string | undefined => {
      const [name] = ofBox(itemAt(target)?.dataset['id'] ?? '').nodes;
      return name;
    };
    const over = ({ target }: Event): void => {
      // The handle belongs to the node.
      if (!(target instanceof Element && target.closest('[data-link-handle]'))) setHovered(nodeAt(target));
    };
    const leave = (): void => setHovered(undefined);
    const focus = ({ target }: Event): void => setFocused(nodeAt(target));
    const blur = (): void => setFocused(undefined);
    canvas.addEventListener('pointerover', over);
    canvas.addEventListener('pointerleave', leave);
    canvas.addEventListener('focusin', focus);
    canvas.addEventListener('focusout', blur);
    return () => {
      canvas.removeEventListener('pointerover', over);
      canvas.removeEventListener('pointerleave', leave);
      canvas.removeEventListener('focusin', focus);
      canvas.removeEventListener('focusout', blur);
    };
  }, [canvas]);
  return hovered ?? focused;
}

interface Drag {
  readonly from: string;
  readonly at: Point;
  readonly target: LinkTarget | undefined;
}

/** Marks an element as the target, without drawing it again. */
function useMarked() {
  const marked = useRef<Element>(undefined);
  return (element: Element | undefined): void => {
    if (marked.current === element) return;
    marked.current?.removeAttribute('data-link-target');
    element?.setAttribute('data-link-target', '');
    marked.current = element;
  };
}

interface LinkDragProps {
  readonly drawing: Drawing;
  readonly onLink: (nodes: readonly string[], target: LinkTarget) => void;
}

/** A link that is drawn from a node with the pointer. */
function useLinkDrag({ drawing, onLink }: LinkDragProps, canvas: HTMLElement | null) {
  const [drag, setDrag] = useState<Drag>();
  const hasMoved = useRef(false);
  const mark = useMarked();
  const end = (): void => {
    setDrag(undefined);
    mark(undefined);
  };
  const move = (event: PointerEvent, from: string): void => {
    const { clientX, clientY } = event;
    const room = canvas?.getBoundingClientRect();
    if (!room || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    hasMoved.current = true;
    const item = itemAt(document.elementFromPoint(clientX, clientY));
    const id = item?.dataset['id'] ?? '';
    const target = targetOf(drawing, item instanceof SVGElement ? id.replace(/ \d+$/, '') : id, [from]);
    mark(target && item ? item : undefined);
    setDrag({ from, at: { x: clientX - room.left, y: clientY - room.top }, target });
  };
  const handlers = (from: string) => ({
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      hasMoved.current = false;
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => move(event, from),
    onPointerUp: () => {
      if (drag?.target) onLink([from], drag.target);
      // The keys work at once, such as the one that takes the link back.
      if (canvas?.contains(document.activeElement) === false) canvas.focus({ preventScroll: true });
      end();
    },
    onPointerCancel: end,
  });
  return { drag, handlers, hasMoved };
}

interface LinkHandleProps extends LinkDragProps {
  /** The node that is selected alone. */
  readonly chosen: string | undefined;
  /** A click: the node to link to is chosen from a list. */
  readonly onPress: (node: string) => void;
}

/** The least distance from the middle of the node, so that both are easy to hit in a small picture. */
const roomy = 26;

/** A handle at the node at hand: one for the whole drawing, because one in each node would slow down large drawings. */
export function LinkHandle({ chosen, onPress, ...props }: LinkHandleProps) {
  const canvas = useStore(({ domNode }) => domNode);
  const atHand = useNodeAtHand(canvas);
  const { drag, handlers, hasMoved } = useLinkDrag(props, canvas);
  const name = drag?.from ?? atHand ?? chosen;
  const box = useInternalNode(nodeBoxId(name ?? ''));
  const { x, y, zoom } = useViewport();
  if (name === undefined || !box) return null;
  const { positionAbsolute } = box.internals;
  const { width = 0, height = 0 } = box;
  const middle = {
    x: x + (positionAbsolute.x + width / 2) * zoom,
    y: y + (positionAbsolute.y + height / 2) * zoom,
  };
  return (
    <>
      {drag && <LinkLine from={middle} drag={drag} />}
      <button
        type="button"
        tabIndex={-1}
        data-link-handle
        className={classes['handle']}
        style={{ left: middle.x, top: middle.y + Math.max((height / 2) * zoom + 6, roomy) }}
        aria-label={`Link ${name} to…`}
        title="Drag to a node, a line or a network to link it; click for a list"
        {...handlers(name)}
        // The focus stays where it is.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => {
          if (!hasMoved.current) onPress(name);
        }}
      >
        <IconLine size={16} aria-hidden />
      </button>
    </>
  );
}

function LinkLine({ from, drag: { at, target, from: name } }: { readonly from: Point; readonly drag: Drag }) {
  return (
    <>
      <svg className={classes['new-link']} data-joins={target !== undefined || undefined} aria-hidden>
        <line x1={from.x} y1={from.y} x2={at.x} y2={at.y} />
      </svg>
      <div className={classes['new-link-words']} style={{ left: at.x, top: at.y }} aria-hidden>
        {target ? targetWords([name], target) : `${name}–…`}
      </div>
    </>
  );
}
