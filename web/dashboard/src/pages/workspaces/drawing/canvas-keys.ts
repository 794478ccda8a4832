/** The keys of the drawing. */

export type CanvasKey =
  | 'add'
  | 'link'
  | 'copy'
  | 'mark'
  | 'paste'
  | 'remove'
  | 'rename'
  | 'form'
  | 'find'
  | 'all'
  | 'none'
  | 'undo'
  | 'redo';

interface Stroke {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

const plain: Readonly<Record<string, CanvasKey>> = {
  n: 'add',
  l: 'link',
  c: 'copy',
  f2: 'rename',
  p: 'form',
  '/': 'find',
  delete: 'remove',
  backspace: 'remove',
  escape: 'none',
};

/** With Ctrl, or Cmd on a Mac. */
const withCtrl: Readonly<Record<string, CanvasKey>> = {
  a: 'all',
  c: 'mark',
  v: 'paste',
  z: 'undo',
  y: 'redo',
};

export function canvasKey({ key, ctrlKey, metaKey, altKey, shiftKey }: Stroke): CanvasKey | undefined {
  const name = key.toLowerCase();
  if (altKey) return undefined;
  if (!ctrlKey && !metaKey) return plain[name];
  if (shiftKey) return name === 'z' ? 'redo' : undefined;
  return withCtrl[name];
}
