/** Edits of a drawing with the places and the selection that go with them, their way back, and their words. */
import { redo, redoDepth, undo, undoDepth } from '@codemirror/commands';
import type { EditorView } from '@codemirror/view';
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import type { Point, Positions } from '../../../../../../src/labs/picture/picture.ts';
import { isSamePlace } from '../../../../../../src/labs/picture/place.ts';
import type { Edit } from '../../../parts/drawing/drawing.ts';
import { tellError } from '../../../parts/tell.ts';
import { asStep, takenBack } from '../editor/drawing-steps.ts';
import { carriedPlaces } from './carried-places.ts';
import { placesOfNew } from './copy-places.ts';
import { editWords, partWords } from './edit-words.ts';
import { addNode } from './free-names.ts';
import { changedBy, nothingSelected, ofBox, type Selection } from './selection.ts';
import type { useDrawing } from './use-drawing.ts';
import type { usePositions } from './use-positions.ts';

interface Edited extends Pick<ReturnType<typeof useDrawing>, 'drawing' | 'edit'> {
  readonly view: EditorView;
  readonly positions: ReturnType<typeof usePositions>;
  readonly select: (selection: Selection) => void;
}

/** The last finished edit in words. The number tells two equal ones apart. */
interface Said {
  readonly nr: number;
  readonly words: string;
}

function useSaid() {
  const [said, setSaid] = useState<Said>({ nr: 0, words: '' });
  const say = useCallback((words: string) => {
    setSaid(({ nr }) => ({ nr: nr + 1, words: words.slice(0, 1).toUpperCase() + words.slice(1) }));
  }, []);
  return { said, say };
}

/** Moves of boxes as steps of the history, which Undo and Redo take back in the drawing, wherever they are used. */
function useSteps({ drawing, view, positions }: Edited, say: (words: string) => void) {
  const { given = {}, move, place, forget } = positions;
  /** The places before an arrangement whose result is not there yet. */
  const arranging = useRef<Positions>(undefined);
  const note = (words: string, from: Positions, to: Positions): void => {
    const changed = Object.entries(to).filter(([id, at]) => from[id] && !isSamePlace(from[id], at));
    if (changed.length > 0) view.dispatch(asStep({ words, moved: { from, to } }));
  };
  const follow = useEffectEvent(() => {
    const step = takenBack.get();
    if (step?.view !== view) return;
    takenBack.set(undefined);
    const places = Object.entries(step.places);
    if (places.length > 0) move(new Map(places));
    const done = step.kind === 'undo' ? 'undone' : 'redone';
    say(step.words === undefined ? done : `${done}: ${step.words}`);
  });
  useEffect(() => {
    follow();
    return takenBack.subscribe(() => follow());
  }, []);
  return {
    moveBoxes: (moved: ReadonlyMap<string, Point>): void => {
      const to = Object.fromEntries(moved);
      const from = Object.fromEntries(Object.entries(given).filter(([id]) => id in to));
      const part = Object.keys(to).reduce((all, id) => changedBy(all, ofBox(id), true), nothingSelected);
      note(`${partWords(drawing, part)} moved`, from, to);
      move(moved);
    },
    arrange: (): void => {
      arranging.current = given;
      forget();
    },
    placed: (all: Positions): void => {
      place(all);
      if (arranging.current === undefined) return;
      note('all nodes arranged', arranging.current, all);
      arranging.current = undefined;
      say('all nodes arranged');
    },
  };
}

export function useEdits(edited: Edited) {
  const { drawing, edit, view, positions, select } = edited;
  const { move, carry, given } = positions;
  const { said, say } = useSaid();
  const made = (one: Edit): void => say(editWords(one, drawing));
  const change = (one: Edit): string | undefined => {
    const { doc } = view.state;
    const reason = edit(one, (now) => {
      const carried = carriedPlaces(one, { before: drawing, now }, given ?? {});
      if (carried.size > 0) carry(carried, now);
      const added = placesOfNew(one, drawing, given ?? {});
      if (added.size > 0) move(added, now);
    });
    if (reason !== undefined) return reason;
    if (one.kind === 'rename-node') select({ nodes: [one.to], links: [] });
    if (view.state.doc !== doc) made(one);
    return undefined;
  };
  return {
    said,
    ...useSteps(edited, say),
    rename: (name: string, to: string) => change({ kind: 'rename-node', name, to }),
    /** Returns the reason of a refusal. */
    change,
    add: (at: Point, device?: string): void => {
      const added = addNode(device, drawing);
      const reason = edit(added);
      if (reason !== undefined) return tellError('No node was added', reason);
      move(new Map([[nodeBoxId(added.name), at]]));
      select({ nodes: [added.name], links: [] });
      made(added);
    },
    undo: undoDepth(view.state) > 0 ? () => void undo(view) : undefined,
    redo: redoDepth(view.state) > 0 ? () => void redo(view) : undefined,
  };
}
