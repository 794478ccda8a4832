import { Button, Kbd, SegmentedControl, Text, useComputedColorScheme } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconDeviceFloppy, IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { Suspense, useEffect, useEffectEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useMayOperate } from '../../../api/queries.ts';
import type { Span } from '../../../parts/drawing/drawing.ts';
import { formatOf } from '../../../parts/drawing/read-topology.ts';
import { late } from '../../../parts/late.ts';
import { Loading } from '../../../parts/loading.tsx';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { isTopology, type Problem } from '../../../parts/topology/topology-check.ts';
import { isYaml } from '../paths.ts';
import { useView, views, type View } from '../use-view.ts';
import { Conflict } from './conflict.tsx';
import { createEditor, type Editor } from './create-editor.ts';
import { useCliCheck } from './use-cli-check.ts';
import { useSaving, type SavedText } from './use-saving.ts';
import { yamlHelp } from './yaml-help.ts';
import classes from './code-editor.module.css';

// The drawing brings its own libraries.
const DrawingPane = late(async () => ({
  default: (await import('../drawing/drawing-pane.tsx')).DrawingPane,
}));

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** The number of errors and warnings, with a button to the next one. */
function ProblemCount({
  problems,
  onGo,
}: {
  readonly problems: readonly Problem[];
  readonly onGo: () => void;
}) {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  const words = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ].join(', ');
  return (
    <span role="status" style={{ display: 'inline-flex', alignItems: 'center', gap: 6 }}>
      {words === '' ? (
        <>
          <IconCircleCheck size={14} color="var(--mantine-color-green-6)" aria-hidden />
          <Text span size="xs" c="dimmed">
            no problems
          </Text>
        </>
      ) : (
        <Button
          size="compact-xs"
          variant="subtle"
          color={errors > 0 ? 'red' : 'gray'}
          leftSection={
            errors > 0 ? (
              <IconCircleX size={14} aria-hidden />
            ) : (
              <IconAlertTriangle size={14} color="var(--mantine-color-orange-6)" aria-hidden />
            )
          }
          onClick={onGo}
        >
          {words}
        </Button>
      )}
    </span>
  );
}

interface Props {
  readonly workspace: string;
  readonly path: string;
  /** The version of the service; undefined when the file was removed and only a draft is left. */
  readonly saved: SavedText | undefined;
}

const noProblems: readonly Problem[] = [];

interface EditorProps extends Props {
  readonly saving: ReturnType<typeof useSaving>;
  readonly onProblems: (problems: readonly Problem[]) => void;
}

/** The text editor in `place`; undefined until it is there. */
function useEditor({ path, saved, saving: { draft, note, save }, onProblems }: EditorProps) {
  const mayOperate = useMayOperate();
  const isDark = useComputedColorScheme('light') === 'dark';
  const place = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<Editor>();
  const [help] = useState(() => (isYaml(path) ? yamlHelp(path, onProblems) : undefined));
  const onChange = useEffectEvent(note);
  const onSave = useEffectEvent(save);
  const create = useEffectEvent((parent: HTMLElement): Editor =>
    createEditor({
      parent,
      text: draft?.text ?? saved?.text ?? '',
      label: `Text of ${path}`,
      isYaml: isYaml(path),
      isReadOnly: !mayOperate,
      isDark,
      help: help?.extension ?? [],
      onChange: (text) => onChange(text),
      onSave: () => onSave(),
    }),
  );
  useEffect(() => {
    if (!place.current) return undefined;
    const made = create(place.current);
    setEditor(made);
    return () => made.destroy();
  }, []);
  useEffect(() => editor?.setDark(isDark), [editor, isDark]);
  useEffect(() => editor?.setReadOnly(!mayOperate), [editor, mayOperate]);
  // A change of another user is shown at once, unless there is a draft.
  const shown = draft === undefined ? saved?.text : undefined;
  useEffect(() => {
    if (shown !== undefined && editor && editor.view.state.sliceDoc() !== shown) editor.setText(shown);
  }, [editor, shown]);
  return { place, editor, help };
}

interface BarProps {
  readonly path: string;
  readonly saving: ReturnType<typeof useSaving>;
  /** Undefined for a file that cannot be drawn. */
  readonly view: View | undefined;
  readonly onView: (view: View) => void;
}

/** The name of the file, its state, and its views. */
function Bar({ path, saving: { draft, isConflict, isSaving, save }, view, onView }: BarProps) {
  const mayOperate = useMayOperate();
  return (
    <div className={classes['bar']}>
      <Text component="h2" size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {path}
      </Text>
      <Text size="sm" c="dimmed" role="status">
        {!mayOperate && 'read-only'}
        {mayOperate && (draft === undefined ? 'saved' : 'unsaved changes')}
      </Text>
      {view !== undefined && (
        <SegmentedControl
          ml="auto"
          size="xs"
          aria-label="View of the file"
          data={[...views]}
          value={view}
          onChange={onView}
        />
      )}
      {mayOperate && (
        <Button
          ml={view === undefined ? 'auto' : 0}
          size="xs"
          leftSection={<IconDeviceFloppy size={16} aria-hidden />}
          disabled={draft === undefined || isConflict}
          loading={isSaving}
          onClick={save}
        >
          Save
        </Button>
      )}
    </div>
  );
}

/** Ctrl S saves everywhere on the page, also in the drawing and its forms. */
function useSaveKey(save: (() => void) | undefined): void {
  const press = (event: KeyboardEvent): void => {
    // The text editor has saved already.
    if (!save || event.defaultPrevented) return;
    event.preventDefault();
    const { activeElement } = document;
    if (activeElement instanceof HTMLInputElement) {
      // Typed text becomes an edit when the field loses the focus.
      activeElement.blur();
      activeElement.focus();
    }
    save();
  };
  useHotkeys([['mod+S', press, { preventDefault: false }]], []);
}

interface KeyHintsProps {
  readonly view: View;
  readonly mayOperate: boolean;
}

/** The keys of the text, or of the drawing when that is all. */
function KeyHints({ view, mayOperate }: KeyHintsProps) {
  return (
    <Text size="xs" c="dimmed" ml="auto" visibleFrom="sm">
      {view === 'drawing' ? (
        mayOperate && (
          <>
            Double-click or <Kbd size="xs">N</Kbd> adds a node, <Kbd size="xs">L</Kbd> links it,{' '}
            <Kbd size="xs">Ctrl Z</Kbd> undoes, <Kbd size="xs">Ctrl S</Kbd> saves
          </>
        )
      ) : (
        <>
          {mayOperate && (
            <>
              <Kbd size="xs">Ctrl S</Kbd> saves, <Kbd size="xs">Ctrl Space</Kbd> hints,{' '}
            </>
          )}
          <Kbd size="xs">Ctrl F</Kbd> finds, <Kbd size="xs">Esc</Kbd> <Kbd size="xs">Tab</Kbd> leaves the
          editor
        </>
      )}
    </Text>
  );
}

/** A text file of a workspace in the editor. */
export function FileEditor(props: Props) {
  const { workspace, path, saved } = props;
  const mayOperate = useMayOperate();
  const saving = useSaving({ workspace, path, saved });
  const { draft, isConflict, isSaving, error, save, saveNow, keepMine, discard } = saving;
  const [problems, setProblems] = useState(noProblems);
  const { place, editor, help } = useEditor({ ...props, saving, onProblems: setProblems });
  const text = draft?.text ?? saved?.text ?? '';
  const lines = text.replaceAll(/\r\n?/g, '\n');
  const isDrawable = isYaml(path) && (isTopology(path, text) || formatOf(path, text) === 'containerlab');
  const isSound = !problems.some(({ severity }) => severity === 'error');
  const checked = useCliCheck({
    workspace,
    path,
    text: lines,
    // It would say of a new file that it is empty.
    isWanted: isDrawable && isSound && mayOperate && text.trim() !== '',
  });
  useEffect(() => {
    if (checked && editor) help?.add(editor.view, checked);
  }, [checked, editor, help]);
  const [wanted, setView] = useView();
  const view = isDrawable ? wanted : 'text';
  const showText = (span: Span): void => {
    // Hidden, the editor takes no focus.
    if (view === 'drawing') flushSync(() => setView('both'));
    editor?.show(span);
  };
  useSaveKey(mayOperate ? save : undefined);
  const goToProblem = (): void => {
    if (view === 'drawing') flushSync(() => setView('both'));
    editor?.goToProblem();
  };
  return (
    <>
      <Bar path={path} saving={saving} view={isDrawable ? view : undefined} onView={setView} />
      {isConflict && (
        <Conflict
          path={path}
          mine={draft?.text ?? ''}
          theirs={saved?.text}
          isSaving={isSaving}
          onTakeTheirs={discard}
          onKeepMine={keepMine}
        />
      )}
      {error !== null && <ProblemNotice error={error} title="The file was not saved" onRetry={save} />}
      <div className={classes['panes']} data-view={view}>
        <div className={classes['editor']} ref={place} />
        {view !== 'text' && editor && (
          <Suspense fallback={<Loading h="100%" />}>
            <DrawingPane
              workspace={workspace}
              path={path}
              text={lines}
              view={editor.view}
              isReadOnly={!mayOperate}
              isUnsaved={draft !== undefined}
              problems={problems}
              onSave={saveNow}
              onShowText={showText}
            />
          </Suspense>
        )}
      </div>
      <div className={classes['foot']}>
        {isYaml(path) && <ProblemCount problems={problems} onGo={goToProblem} />}
        <KeyHints view={view} mayOperate={mayOperate} />
      </div>
    </>
  );
}
