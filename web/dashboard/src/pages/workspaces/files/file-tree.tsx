import { IconChevronRight, IconFile, IconFileOff, IconFolder, IconFolderOpen } from '@tabler/icons-react';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import { sizeText } from '../../../parts/size-text.ts';
import { moveIn, type TreeRow } from './tree.ts';
import classes from './files.module.css';

interface Props {
  readonly rows: readonly TreeRow[];
  /** The open file. */
  readonly selected: string | undefined;
  /** The row for keys and actions. */
  readonly active: string | undefined;
  readonly unsaved: ReadonlySet<string>;
  readonly onActive: (path: string) => void;
  readonly onFold: (path: string, isOpen: boolean) => void;
  readonly onChoose: (row: TreeRow) => void;
  /** The keys F2 and Delete. */
  readonly onKey: (row: TreeRow, key: 'F2' | 'Delete') => void;
}

function RowIcon({ kind, isOpen }: Pick<TreeRow, 'kind' | 'isOpen'>) {
  if (kind === 'other') return <IconFileOff size={16} aria-hidden />;
  if (kind === 'file') return <IconFile size={16} aria-hidden />;
  return isOpen ? <IconFolderOpen size={16} aria-hidden /> : <IconFolder size={16} aria-hidden />;
}

function Row({
  row,
  isUnsaved,
  ...rest
}: { readonly row: TreeRow; readonly isUnsaved: boolean } & React.ComponentProps<'div'>) {
  const { name, kind, size, level, position, siblings, isOpen } = row;
  return (
    <div
      {...rest}
      role="treeitem"
      className={classes['row']}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={kind === 'directory' ? isOpen : undefined}
      aria-disabled={kind === 'other' || undefined}
      style={{ paddingInlineStart: 4 + (level - 1) * 16 }}
      title={kind === 'other' ? `${name}: links and special files are not served` : name}
    >
      <IconChevronRight
        size={14}
        aria-hidden
        className={classes['chevron']}
        data-is={kind !== 'directory' ? 'none' : isOpen ? 'open' : 'closed'}
      />
      <RowIcon kind={kind} isOpen={isOpen} />
      <span className={classes['name']}>{name}</span>
      {isUnsaved && <span className={classes['unsaved']}>unsaved</span>}
      {kind === 'file' && <span className={classes['size']}>{sizeText(size)}</span>}
    </div>
  );
}

/** The files of a workspace as a tree (WAI-ARIA, "Tree View Pattern"). */
export function FileTree({ rows, selected, active, unsaved, ...on }: Props) {
  const tree = useRef<HTMLDivElement>(null);
  const focused = rows.some(({ path }) => path === active) ? active : (rows[0]?.path ?? '');
  const followsKeys = useRef(false);
  useEffect(() => {
    if (!followsKeys.current) return;
    followsKeys.current = false;
    tree.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  });
  const choose = (row: TreeRow): void => {
    on.onActive(row.path);
    if (row.kind === 'directory') on.onFold(row.path, !row.isOpen);
    else if (row.kind === 'file') on.onChoose(row);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || focused === undefined) return;
    const row = rows.find(({ path }) => path === focused);
    if (row && (event.key === 'F2' || event.key === 'Delete')) return on.onKey(row, event.key);
    const move = moveIn(rows, focused, event.key);
    if (move === undefined) return;
    event.preventDefault();
    if (move.kind === 'choose') {
      if (row) choose(row);
    } else if (move.kind === 'focus') {
      followsKeys.current = true;
      on.onActive(move.path);
    } else on.onFold(move.path, move.kind === 'open');
  };
  return (
    <div
      role="tree"
      aria-label="Files"
      tabIndex={-1}
      ref={tree}
      onKeyDown={onKeyDown}
      className={classes['tree']}
    >
      {rows.map((row) => (
        <Row
          key={row.path}
          row={row}
          isUnsaved={unsaved.has(row.path)}
          aria-selected={row.path === selected}
          tabIndex={row.path === focused ? 0 : -1}
          onFocus={() => on.onActive(row.path)}
          onClick={() => choose(row)}
        />
      ))}
    </div>
  );
}
