/** The drawing of the edited text, and edits of it. */
import type { EditorView } from '@codemirror/view';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { changesFor } from '../../../parts/drawing/changes-for.ts';
import type { Drawing, Edit } from '../../../parts/drawing/drawing.ts';
import { formatOf, readDrawing, type ReadDrawing } from '../../../parts/drawing/read-topology.ts';
import { asStep } from '../editor/drawing-steps.ts';
import { editWords } from './edit-words.ts';
import { tellNote } from '../../../parts/tell.ts';

const nothing = { nodes: [], links: [], groups: [], unseen: [] };

/**
 * Reads the drawing again after each change of the text. While the text cannot be read, `drawing` is the last one, and
 * `mistake` says why and in which line, from 1. `edit` changes the text in the editor, as one step that can be undone, calls `onDrawn`
 * with the drawing after it, and returns the reason of a refusal.
 */
export function useDrawing(path: string, text: string, view: EditorView) {
  const [edited, setEdited] = useState<{ readonly text: string; readonly read: ReadDrawing }>();
  const deferred = useDeferredValue(text);
  // Typing does not wait for the drawing; an edit of the drawing is shown with the selection that belongs to it.
  const newest = edited?.text === text ? text : deferred;
  const read = useMemo(
    () => (edited?.text === newest ? edited.read : readDrawing(path, newest)),
    [path, newest, edited],
  );
  const [last, setLast] = useState<Drawing>({ ...nothing, format: formatOf(path, text) });
  if (read.kind === 'drawing' && read.drawing !== last) setLast(read.drawing);
  const drawing = read.kind === 'drawing' ? read.drawing : last;
  const edit = useCallback(
    (one: Edit, onDrawn?: (now: Drawing) => void): string | undefined => {
      const result = changesFor(path, view.state.doc.toString(), one);
      if (result.kind === 'refused') return result.message;
      const { changes, note } = result;
      const now = readDrawing(path, result.text);
      setEdited({ text: result.text, read: now });
      if (changes.length > 0)
        view.dispatch({ ...asStep({ words: editWords(one, drawing) }, changes), userEvent: 'input.draw' });
      if (now.kind === 'drawing') onDrawn?.(now.drawing);
      if (note !== undefined) tellNote(`A name is left in ${path}`, note);
      return undefined;
    },
    [path, view, drawing],
  );
  return {
    drawing,
    /** The text that is drawn; undefined while it cannot be read. */
    drawn: read.kind === 'drawing' ? newest : undefined,
    mistake: read.kind === 'unreadable' ? { line: read.line, message: read.message } : undefined,
    edit,
  };
}
