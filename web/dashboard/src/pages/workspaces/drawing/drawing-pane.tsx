/** The drawing of the file in the editor, with the forms of its nodes and links, and the lab that is started from it. */
import { Alert, Button, TextInput, VisuallyHidden } from '@mantine/core';
import type { EditorView } from '@codemirror/view';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { drawnState } from '../../../../../../src/labs/picture/words.ts';
import type { Lab } from '../../../../../../src/client/api-types.ts';
import type { Drawing, Span } from '../../../parts/drawing/drawing.ts';
import { Loading } from '../../../parts/loading.tsx';
import { Question } from '../../../parts/question.tsx';
import type { States } from '../../../parts/picture/flow-graph.ts';
import type { Problem } from '../../../parts/topology/topology-check.ts';
import { DrawingCanvas } from './drawing-canvas.tsx';
import { Inspector } from './inspector.tsx';
import { marksOf, placed } from './placed-problems.ts';
import { RunStrip } from './run-strip.tsx';
import { nothingSelected } from './selection.ts';
import type { DropAt } from './use-drop.ts';
import { useDrawing } from './use-drawing.ts';
import { useEdits } from './use-edits.ts';
import { useLabRun } from './use-lab-run.ts';
import { usePositions } from './use-positions.ts';
import { useTextCursor } from './use-text-cursor.ts';
import classes from './drawing-pane.module.css';

interface Props {
  readonly workspace: string;
  readonly path: string;
  readonly text: string;
  readonly view: EditorView;
  readonly isReadOnly: boolean;
  readonly isUnsaved: boolean;
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
        errorProps={{ role: 'alert' }}
        data-autofocus
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </Question>
  );
}

/** Says that the text cannot be drawn, and goes to the place. */
function Mistake({
  mistake: { line, message },
  isDrawn,
  onShow,
}: {
  readonly mistake: { readonly line: number; readonly message: string };
  /** Whether an earlier text is drawn. */
  readonly isDrawn: boolean;
  readonly onShow: () => void;
}) {
  return (
    <Alert
      color="orange"
      variant="light"
      p="xs"
      role="status"
      title={`The text has an error in line ${line}`}
    >
      {message}.{' '}
      {isDrawn
        ? 'The drawing shows the last text without an error. Correct the text to go on.'
        : 'Nothing can be drawn until it is corrected.'}{' '}
      <Button size="compact-xs" variant="default" onClick={onShow}>
        Go to line {line}
      </Button>
    </Alert>
  );
}

/** Goes from the drawing to its form with a key, and back with Escape. */
function useForm() {
  const side = useRef<HTMLDivElement>(null);
  const from = useRef<Element | null>(null);
  return {
    side,
    enter: (): void => {
      from.current = document.activeElement;
      // The form of a new selection has to be there first.
      requestAnimationFrame(() =>
        side.current
          // Behind the palette.
          ?.querySelector<HTMLElement>('fieldset:last-of-type :is(input, textarea, button):enabled')
          ?.focus(),
      );
    },
    leave: (event: KeyboardEvent): void => {
      const { activeElement } = document;
      // Escape closes an open list first.
      const list = document.getElementById(activeElement?.getAttribute('aria-controls') ?? '');
      const opener = from.current;
      if (event.key !== 'Escape' || list !== null || !side.current?.contains(activeElement)) return;
      if (opener instanceof HTMLElement || opener instanceof SVGElement)
        opener.focus({ preventScroll: true });
    },
  };
}

/** The states of the nodes; none for a node that is not in the lab yet. */
function useStates(nodes: Lab['nodes'] | undefined, drawing: Drawing): States {
  return useMemo(
    () =>
      nodes &&
      new Map([
        ...drawing.nodes.map(({ name }) => [name, undefined] as const),
        ...nodes.map(({ name, state, ready }) => [name, drawnState(state, ready)] as const),
      ]),
    [nodes, drawing],
  );
}

export function DrawingPane(props: Props) {
  const { workspace, path, text, view, isReadOnly, isUnsaved, problems, onSave, onShowText } = props;
  const { drawing, drawn, mistake, edit } = useDrawing(path, text, view);
  const [selected, select] = useState(nothingSelected);
  const sought = useTextCursor({ view, drawing, drawn, selected, onSelect: select });
  const dropAt = useRef<DropAt>(null);
  const [renamed, setRenamed] = useState<string>();
  const positions = usePositions(workspace, drawing);
  const edits = useEdits({ drawing, edit, view, positions, select });
  const { side, enter, leave } = useForm();
  const run = useLabRun({ workspace, path, text, format: drawing.format, onSave });
  const states = useStates(run.lab?.nodes, drawing);
  const isStale = mistake !== undefined;
  // The notice has the mistake of a text that is not drawn: its place has another part in the drawing of the last one.
  const known = useMemo(() => (isStale ? [] : placed(problems, text)), [problems, text, isStale]);
  const marks = useMemo(() => marksOf(drawing, known), [drawing, known]);
  const isFixed = isReadOnly || isStale;
  const showMistake = (): void => {
    if (!mistake) return;
    const [place] = placed([{ ...mistake, column: 1, severity: 'error' }], text);
    if (place) onShowText(place.span);
  };
  const isEmpty = drawing.nodes.length + drawing.unseen.length === 0;
  return (
    <div className={classes['pane']}>
      <RunStrip
        run={run}
        drawing={drawing}
        obstacle={
          mistake
            ? `Correct line ${mistake.line} first`
            : (run.obstacle ?? (isEmpty ? 'Add a node first' : undefined))
        }
        isReadOnly={isReadOnly}
        isUnsaved={isUnsaved}
        selected={selected}
        mistakes={problems.filter(({ severity }) => severity === 'error').length}
      />
      {mistake && <Mistake mistake={mistake} isDrawn={drawing.nodes.length > 0} onShow={showMistake} />}
      <VisuallyHidden role="status" aria-label="Edits">
        <span key={edits.said.nr}>{edits.said.words}</span>
      </VisuallyHidden>
      <div className={classes['drawn']}>
        <div className={classes['canvas']} data-fixed={isStale || undefined}>
          {positions.given === undefined ? (
            <Loading h="100%" />
          ) : (
            <DrawingCanvas
              label={`Drawing of ${path}`}
              drawing={drawing}
              given={positions.given}
              isStale={isStale}
              onPlaced={edits.placed}
              onMove={isReadOnly ? undefined : edits.moveBoxes}
              onPut={positions.move}
              onArrange={edits.arrange}
              onForm={enter}
              {...(states && { states })}
              selected={selected}
              onSelect={select}
              problems={marks}
              sought={sought}
              dropAt={dropAt}
              onEdit={isFixed ? undefined : edits.change}
              onAdd={edits.add}
              onRename={setRenamed}
              onUndo={edits.undo}
              onRedo={edits.redo}
            />
          )}
        </div>
        <div className={classes['side']} ref={side}>
          <Inspector
            drawing={drawing}
            isStale={isStale}
            isReadOnly={isReadOnly}
            selected={selected}
            onSelect={select}
            onKey={leave}
            onEdit={isFixed ? () => 'the file cannot be changed now' : edits.change}
            onDrop={isReadOnly ? undefined : (device, at) => dropAt.current?.(device, at)}
            onShowText={onShowText}
            problems={known}
          />
        </div>
      </div>
      {renamed !== undefined && (
        <RenameQuestion
          name={renamed}
          onName={(to) => edits.rename(renamed, to)}
          onClose={() => setRenamed(undefined)}
        />
      )}
    </div>
  );
}
