/** The drawing of the edited text, and edits of it. */
import type { EditorView } from '@codemirror/view';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { changesFor } from '../../../parts/drawing/changes-for.ts';
import type { Drawing, Edit } from '../../../parts/drawing/drawing.ts';
import { formatOf, readDrawing } from '../../../parts/drawing/read-topology.ts';
import { asStep } from '../editor/drawing-steps.ts';
import { editWords } from './edit-words.ts';
import { tellNote } from '../../../parts/tell.ts';

const nothing = { nodes: [], links: [], groups: [], unseen: [] };

/**
 * Reads the drawing again after each change of the text. While the text cannot be read, `drawing` is the last one, and
 * `mistake` says why and in which line, from 1. `edit` changes the text in the editor, as one step that can be undone, and returns the reason of a refusal.
 */
export function useDrawing(path: string, text: string, view: EditorView) {
  const [edited, setEdited] = useState<string>();
  const deferred = useDeferredValue(text);
  // Typing does not wait for the drawing; an edit of the drawing is shown with the selection that belongs to it.
  const newest = edited === text ? text : deferred;
  const read = useMemo(() => readDrawing(path, newest), [path, newest]);
  const [last, setLast] = useState<Drawing>({ ...nothing, format: formatOf(path, text) });
  if (read.kind === 'drawing' && read.drawing !== last) setLast(read.drawing);
  const drawing = read.kind === 'drawing' ? read.drawing : last;
  const edit = useCallback(
    (one: Edit): string | undefined => {
      const result = changesFor(path, view.state.doc.toString(), one);
      if (result.kind === 'refused') return result.message;
      const { changes, note } = result;
      setEdited(result.text);
      if (changes.length > 0)
        view.dispatch({ ...asStep({ words: editWords(one, drawing) }, changes), userEvent: 'input.draw' });
      if (note !== undefined) tellNote('A name is left in the text', note);
      return undefined;
    },
    [path, view, drawing],
  );
  return {
    drawing,
    mistake: read.kind === 'unreadable' ? { line: read.line, message: read.message } : undefined,
    edit,
  };
}
