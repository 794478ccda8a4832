/** The look of the editor. Its colours are variables that change with the theme (code-editor.module.css). */
import { defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';

const frame = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--mantine-color-text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)', paddingBottom: '40px' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  // Long lines are scrolled below the gutters.
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--code-line)' },
  '.cm-activeLineGutter': { color: 'var(--mantine-color-text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--code-selection)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-sm)',
    boxShadow: 'var(--mantine-shadow-md)',
    maxWidth: 'min(480px, 90vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--mantine-primary-color-filled)',
    color: 'var(--mantine-primary-color-contrast)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.8' },
  '.cm-completionInfo': { padding: '6px 10px' },
  '.cm-panels': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
  },
  '.cm-panels-top': { borderBottom: '1px solid var(--mantine-color-default-border)' },
  '.cm-panel.cm-search': { fontSize: '13px', padding: '8px 12px' },
  '.cm-textfield, .cm-button': {
    fontSize: '13px',
    backgroundColor: 'var(--mantine-color-default)',
    backgroundImage: 'none',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-sm)',
  },
  '.cm-diagnostic': { padding: '6px 10px' },
  '.cm-foldGutter span': { color: 'var(--mantine-color-dimmed)' },
});

/** Replaces the colours of CodeMirror's style, which is made for light pages. */
const colours: Readonly<Record<string, string>> = {
  '#00c': 'var(--code-key)',
  '#a11': 'var(--code-text)',
  '#e40': 'var(--code-text)',
  '#940': 'var(--code-comment)',
  '#219': 'var(--code-name)',
  '#085': 'var(--code-name)',
  '#708': 'var(--code-value)',
  '#404740': 'var(--code-comment)',
};

const words = HighlightStyle.define(
  defaultHighlightStyle.specs.map((spec) => {
    const own: unknown = spec['color'];
    const color = typeof own === 'string' ? colours[own] : undefined;
    return color === undefined ? spec : { ...spec, color };
  }),
);

export const editorLook = [frame, syntaxHighlighting(words)];
