/** The drawing of the file in the editor, with the forms of its nodes and links, and the lab that is started from it. */
import { Alert, TextInput } from '@mantine/core';
import { redo, redoDepth, undo, undoDepth } from '@codemirror/commands';
import type { EditorView } from '@codemirror/view';
import { useMemo, useState } from 'react';
import { nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import type { Point } from '../../../../../../src/labs/picture/picture.ts';
import { drawnState } from '../../../../../../src/labs/picture/words.ts';
import type { Edit, Span } from '../../../parts/drawing/drawing.ts';
import { Loading } from '../../../parts/loading.tsx';
import { Question } from '../../../parts/question.tsx';
import { tellError } from '../../../parts/tell.ts';
import type { Problem } from '../../../parts/topology/topology-check.ts';
import { placesOfNew } from './copy-places.ts';
import { DrawingCanvas } from './drawing-canvas.tsx';
import { addNode } from './free-names.ts';
import { Inspector } from './inspector.tsx';
import { marksOf, placed } from './placed-problems.ts';
import { RunStrip } from './run-strip.tsx';
import { nothingSelected, type Selection } from './selection.ts';
import { useDrawing } from './use-drawing.ts';
import { useLabRun } from './use-lab-run.ts';
import { usePositions } from './use-positions.ts';
import classes from './drawing-pane.module.css';

interface Props {
  readonly workspace: string;
  readonly path: string;
  readonly text: string;
  readonly view: EditorView;
  readonly isReadOnly: boolean;
  readonly problems: readonly Problem[];
  readonly onSave: () => Promise<void>;
  /** Shows the text with this part of it. */
  readonly onShowText: (span: Span) => void;
}

/** Asks for the new name of a node. */
function RenameQuestion({
  name,
  onName,
  onClose,
}: {
  readonly name: string;
  readonly onName: (to: string) => string | undefined;
  readonly onClose: () => void;
}) {
  const [typed, setTyped] = useState(name);
  const [refusal, setRefusal] = useState<string>();
  return (
    <Question
      title={`Rename ${name}`}
      yes="Rename"
      isForm
      onClose={onClose}
      onYes={() => {
        const reason = onName(typed.trim());
        if (reason === undefined) onClose();
        else setRefusal(reason);
      }}
    >
      <TextInput
        label="New name"
        value={typed}
        error={refusal}
        data-autofocus
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </Question>
  );
}

/** Edits of the drawing, with the positions and the selection that go with them. */
function useActions(
  { drawing, edit }: Pick<ReturnType<typeof useDrawing>, 'drawing' | 'edit'>,
  positions: ReturnType<typeof usePositions>,
  select: (selection: Selection) => void,
) {
  const { move, given } = positions;
  const rename = (name: string, to: string): string | undefined => {
    const reason = edit({ kind: 'rename-node', name, to });
    const at = given?.[nodeBoxId(name)];
    if (reason === undefined && at) move(new Map([[nodeBoxId(to), at]]));
    if (reason === undefined) select({ nodes: [to], links: [] });
    return reason;
  };
  const change = (one: Edit): string | undefined => {
    if (one.kind === 'rename-node') return rename(one.name, one.to);
    const reason = edit(one);
    const moved = placesOfNew(one, drawing, given ?? {});
    if (reason === undefined && moved.size > 0) move(moved);
    return reason;
  };
  return {
    rename,
    /** Returns the reason of a refusal. */
    change,
    add: (at: Point): void => {
      const added = addNode(undefined, drawing);
      const reason = edit(added);
      if (reason !== undefined) return tellError('No node was added', reason);
      move(new Map([[nodeBoxId(added.name), at]]));
      select({ nodes: [added.name], links: [] });
    },
  };
}

export function DrawingPane(props: Props) {
  const { workspace, path, text, view, isReadOnly, problems, onSave, onShowText } = props;
  const { drawing, mistake, edit } = useDrawing(path, text, view);
  const [selected, select] = useState(nothingSelected);
  const [renamed, setRenamed] = useState<string>();
  const positions = usePositions(workspace, drawing);
  const { rename, change, add } = useActions({ drawing, edit }, positions, select);
  const run = useLabRun({ workspace, path, text, format: drawing.format, onSave });
  const { nodes } = run.lab ?? {};
  const states = useMemo(
    () => nodes && new Map(nodes.map(({ name, state, ready }) => [name, drawnState(state, ready)])),
    [nodes],
  );
  const known = useMemo(() => placed(problems, text), [problems, text]);
  const marks = useMemo(() => marksOf(drawing, known), [drawing, known]);
  const isFixed = isReadOnly || mistake !== undefined;
  return (
    <div className={classes['pane']}>
      <RunStrip
        run={run}
        drawing={drawing}
        obstacle={mistake === undefined ? run.obstacle : `Correct ${mistake}`}
        isReadOnly={isReadOnly}
        selected={selected}
        mistakes={problems.filter(({ severity }) => severity === 'error').length}
      />
      {mistake !== undefined && (
        <Alert color="orange" variant="light" p="xs" role="status" title="The text has a mistake">
          {drawing.nodes.length > 0
            ? 'The drawing shows the last text without one, and cannot be changed.'
            : 'It cannot be drawn: correct it in the text.'}{' '}
          In {mistake}
        </Alert>
      )}
      <div className={classes['drawn']}>
        <div className={classes['canvas']} data-fixed={mistake !== undefined || undefined}>
          {positions.given === undefined ? (
            <Loading h="100%" />
          ) : (
            <DrawingCanvas
              label={`Drawing of ${path}`}
              drawing={drawing}
              given={positions.given}
              onPlaced={positions.place}
              onMove={isReadOnly ? undefined : positions.move}
              onArrange={positions.forget}
              {...(states && { states })}
              selected={selected}
              onSelect={select}
              problems={marks}
              onEdit={isFixed ? undefined : change}
              onAdd={add}
              onRename={setRenamed}
              onUndo={undoDepth(view.state) > 0 ? () => undo(view) : undefined}
              onRedo={redoDepth(view.state) > 0 ? () => redo(view) : undefined}
            />
          )}
        </div>
        <div className={classes['side']}>
          <Inspector
            drawing={drawing}
            selected={selected}
            onSelect={select}
            onEdit={isFixed ? () => 'the file cannot be changed now' : change}
            onShowText={onShowText}
            problems={known}
          />
        </div>
      </div>
      {renamed !== undefined && (
        <RenameQuestion
          name={renamed}
          onName={(to) => rename(renamed, to)}
          onClose={() => setRenamed(undefined)}
        />
      )}
    </div>
  );
}
