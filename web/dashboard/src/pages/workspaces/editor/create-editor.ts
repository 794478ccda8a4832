/** CodeMirror with the features and the look of this page. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, lintKeymap, nextDiagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { drawingSteps } from './drawing-steps.ts';
import { editorLook } from './editor-look.ts';

export interface EditorOptions {
  readonly parent: HTMLElement;
  readonly text: string;
  /** The name for screen readers. */
  readonly label: string;
  readonly isYaml: boolean;
  readonly isReadOnly: boolean;
  readonly isDark: boolean;
  /** Hints and errors for the language of the file. */
  readonly help: Extension;
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
}

export interface Editor {
  readonly view: EditorView;
  /** Replaces the whole text without a call of `onChange`; it cannot be undone. */
  setText: (text: string) => void;
  setDark: (isDark: boolean) => void;
  setReadOnly: (isReadOnly: boolean) => void;
  /** Puts the cursor there. */
  show: (span: { readonly from: number; readonly to: number }) => void;
  /** Moves the cursor to the next error or warning. */
  goToProblem: () => void;
  destroy: () => void;
}

/** A file with only Windows line ends keeps them. */
const hasWindowsLines = (text: string): boolean => text.includes('\r\n') && !/(?<!\r)\n/.test(text);

const readOnly = (isReadOnly: boolean): Extension => [
  EditorState.readOnly.of(isReadOnly),
  EditorView.contentAttributes.of(isReadOnly ? { 'aria-readonly': 'true' } : {}),
];

function basics({ isYaml }: EditorOptions): Extension {
  return [
    lineNumbers(),
    foldGutter(),
    lintGutter(),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    highlightSpecialChars(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of('  '),
    bracketMatching(),
    closeBrackets(),
    highlightSelectionMatches(),
    search({ top: true }),
    isYaml ? yaml() : [],
  ];
}

export function createEditor(options: EditorOptions): Editor {
  const { parent, text, label, isReadOnly, isDark, help, onChange, onSave } = options;
  const [darkness, writing, past] = [new Compartment(), new Compartment(), new Compartment()];
  let isQuiet = false;
  const save = (): boolean => {
    onSave();
    return true;
  };
  const state = EditorState.create({
    doc: text,
    extensions: [
      hasWindowsLines(text) ? EditorState.lineSeparator.of('\r\n') : [],
      basics(options),
      past.of(history()),
      drawingSteps,
      help,
      autocompletion(),
      keymap.of([
        { key: 'Mod-s', run: save, preventDefault: true },
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...lintKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...foldKeymap,
        ...defaultKeymap,
        // Escape and then Tab leaves the editor.
        indentWithTab,
      ]),
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorView.updateListener.of(({ docChanged, state: now }) => {
        if (docChanged && !isQuiet) onChange(now.sliceDoc());
      }),
      editorLook,
      darkness.of(EditorView.darkTheme.of(isDark)),
      writing.of(readOnly(isReadOnly)),
    ],
  });
  const view = new EditorView({ state, parent });
  return {
    view,
    setText: (next) => {
      isQuiet = true;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: view.state.toText(next) },
        // Undo is about the edits of this user: of another text, it would take back those of others.
        effects: past.reconfigure([]),
      });
      view.dispatch({ effects: past.reconfigure(history()) });
      isQuiet = false;
    },
    setDark: (dark) => view.dispatch({ effects: darkness.reconfigure(EditorView.darkTheme.of(dark)) }),
    setReadOnly: (isFixed) => view.dispatch({ effects: writing.reconfigure(readOnly(isFixed)) }),
    show: ({ from, to }) => {
      view.dispatch({
        selection: { anchor: from, head: to },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      });
      view.focus();
    },
    goToProblem: () => {
      nextDiagnostic(view);
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}
