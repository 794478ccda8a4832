/** The selection follows the cursor in the text. */
import { Compartment, StateEffect } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Drawing, Span } from '../../../parts/drawing/drawing.ts';
import { partAt } from './part-at.ts';
import { isEmpty, presentIn, type Selection } from './selection.ts';

interface TextCursor {
  readonly view: EditorView;
  readonly drawing: Drawing;
  /** The text that is drawn; undefined while another one cannot be read. */
  readonly drawn: string | undefined;
  readonly selected: Selection;
  readonly onSelect: (selection: Selection) => void;
}

/**
 * Selects the node or link into which the user moves the cursor of the text, unless several are selected. Typing moves no selection.
 * The result is what the cursor has selected last, for the drawing to bring it into view.
 */
export function useTextCursor({ view, drawing, drawn, selected, onSelect }: TextCursor) {
  const [sought, seek] = useState<Selection>();
  const moved = useRef<Span>(undefined);
  const follow = useEffectEvent(() => {
    // The drawing comes a moment after the text.
    if (!moved.current || view.state.doc.toString() !== drawn) return;
    const part = partAt(drawing, drawn, moved.current);
    moved.current = undefined;
    const { nodes, links } = presentIn(drawing, selected);
    const isSelected = [...part.nodes, ...part.links].every(
      (one) => nodes.includes(one) || links.includes(one),
    );
    if (isEmpty(part) || isSelected || nodes.length + links.length > 1) return;
    onSelect(part);
    seek(part);
  });
  useEffect(() => {
    const listening = new Compartment();
    const listener = EditorView.updateListener.of(({ docChanged, transactions, state }) => {
      const isMove = transactions.some((one) => one.isUserEvent('select'));
      if (docChanged) moved.current = undefined;
      else if (isMove) moved.current = state.selection.main;
      if (isMove) follow();
    });
    view.dispatch({ effects: StateEffect.appendConfig.of(listening.of(listener)) });
    return () => view.dispatch({ effects: listening.reconfigure([]) });
  }, [view]);
  useEffect(() => follow());
  return sought;
}
