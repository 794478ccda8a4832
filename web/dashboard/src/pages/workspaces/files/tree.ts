/** Turns the list of files of the service into the rows of a tree. */
import type { WorkspaceFile } from '../../../../../../src/client/api-types.ts';
import { harmlessText } from '../../../../../../src/lib/text/harmless-text.ts';

export interface TreeRow {
  readonly path: string;
  /** To be shown: a lab may name its files as it likes. */
  readonly name: string;
  readonly kind: WorkspaceFile['kind'];
  readonly size: number;
  /** From 1. */
  readonly level: number;
  /** The position among the siblings, from 1, and their number. */
  readonly position: number;
  readonly siblings: number;
  readonly isOpen: boolean;
}

interface Entry {
  readonly path: string;
  readonly name: string;
  kind: WorkspaceFile['kind'];
  size: number;
  readonly children: Map<string, Entry>;
}

const inOrder = (one: Entry, other: Entry): number =>
  Number(one.kind !== 'directory') - Number(other.kind !== 'directory') ||
  one.name.localeCompare(other.name, 'en', { numeric: true });

function nested(files: readonly WorkspaceFile[]): Entry {
  const root: Entry = { path: '', name: '', kind: 'directory', size: 0, children: new Map() };
  for (const { path, kind, size } of files) {
    let at = root;
    for (const name of path.split('/')) {
      const below = at.path === '' ? name : `${at.path}/${name}`;
      const child = at.children.get(name) ?? {
        path: below,
        name,
        kind: 'directory' as const,
        size: 0,
        children: new Map<string, Entry>(),
      };
      at.children.set(name, child);
      at = child;
    }
    Object.assign(at, { kind, size });
  }
  return root;
}

/** Directories first, then files, both by name; without the content of closed directories. */
export function treeRows(files: readonly WorkspaceFile[], isOpen: (path: string) => boolean): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (entry: Entry, level: number): void => {
    const children = [...entry.children.values()].toSorted(inOrder);
    for (const [index, { path, name, kind, size, children: inside }] of children.entries()) {
      const isShown = kind === 'directory' && isOpen(path);
      rows.push({
        path,
        name: harmlessText(name),
        kind,
        size,
        level,
        position: index + 1,
        siblings: children.length,
        isOpen: isShown,
      });
      if (isShown) add({ path, name, kind, size, children: inside }, level + 1);
    }
  };
  add(nested(files), 1);
  return rows;
}

export const parentOf = (path: string): string => path.split('/').slice(0, -1).join('/');

export const nameOf = (path: string): string => path.split('/').at(-1) ?? path;

/** The directories of the file, outermost first. */
export function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** The effect of a key in a tree (WAI-ARIA, "Tree View Pattern"). */
export type TreeMove =
  | { readonly kind: 'focus'; readonly path: string }
  | { readonly kind: 'open' | 'close'; readonly path: string }
  | { readonly kind: 'choose'; readonly path: string };

function moveRight(row: TreeRow, next: TreeRow | undefined): TreeMove | undefined {
  if (row.kind !== 'directory') return undefined;
  if (!row.isOpen) return { kind: 'open', path: row.path };
  return next && next.level > row.level ? { kind: 'focus', path: next.path } : undefined;
}

function moveLeft(row: TreeRow): TreeMove | undefined {
  if (row.isOpen) return { kind: 'close', path: row.path };
  return row.level > 1 ? { kind: 'focus', path: parentOf(row.path) } : undefined;
}

/** The next row after `index`, cyclic, whose name begins with the letter. */
function nextWith(rows: readonly TreeRow[], index: number, letter: string): TreeMove | undefined {
  const around = [...rows.slice(index + 1), ...rows.slice(0, index + 1)];
  const found = around.find(({ name }) => name.toLowerCase().startsWith(letter.toLowerCase()));
  return found && { kind: 'focus', path: found.path };
}

/** The effect of the key on the focused row; undefined for none. */
export function moveIn(rows: readonly TreeRow[], path: string, key: string): TreeMove | undefined {
  const index = rows.findIndex((row) => row.path === path);
  const row = rows[index];
  if (row === undefined) return undefined;
  const focus = (target: TreeRow | undefined): TreeMove | undefined =>
    target && { kind: 'focus', path: target.path };
  switch (key) {
    case 'ArrowDown':
      return focus(rows[index + 1]);
    case 'ArrowUp':
      return focus(rows[index - 1]);
    case 'Home':
      return focus(rows[0]);
    case 'End':
      return focus(rows.at(-1));
    case 'ArrowRight':
      return moveRight(row, rows[index + 1]);
    case 'ArrowLeft':
      return moveLeft(row);
    case 'Enter':
    case ' ':
      return { kind: 'choose', path };
    default:
      return key.length === 1 ? nextWith(rows, index, key) : undefined;
  }
}
