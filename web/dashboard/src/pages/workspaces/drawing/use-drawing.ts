/** The drawing of the edited text, and edits of it. */
import { isolateHistory } from '@codemirror/commands';
import type { EditorView } from '@codemirror/view';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { changesFor } from '../../../parts/drawing/changes-for.ts';
import type { Drawing, Edit } from '../../../parts/drawing/drawing.ts';
import { formatOf, readDrawing } from '../../../parts/drawing/read-topology.ts';

const nothing = { nodes: [], links: [], groups: [], unseen: [] };

/**
 * Reads the drawing again after each change of the text. While the text cannot be read, `drawing` is the last one, and
 * `mistake` says why.
 */
export function useDrawing(path: string, text: string) {
  const newest = useDeferredValue(text);
  const read = useMemo(() => readDrawing(path, newest), [path, newest]);
  const [last, setLast] = useState<Drawing>({ ...nothing, format: formatOf(path, text) });
  if (read.kind === 'drawing' && read.drawing !== last) setLast(read.drawing);
  return {
    drawing: read.kind === 'drawing' ? read.drawing : last,
    mistake: read.kind === 'unreadable' ? `line ${read.line}: ${read.message}` : undefined,
  };
}

/** Changes the text in the editor, as one step that can be undone; returns the reason of a refusal. */
export function useEdit(path: string, view: EditorView): (edit: Edit) => string | undefined {
  return useCallback(
    (edit) => {
      const result = changesFor(path, view.state.doc.toString(), edit);
      if (result.kind === 'refused') return result.message;
      const { changes } = result;
      if (changes.length > 0)
        view.dispatch({ changes, userEvent: 'input.draw', annotations: isolateHistory.of('full') });
      return undefined;
    },
    [path, view],
  );
}
