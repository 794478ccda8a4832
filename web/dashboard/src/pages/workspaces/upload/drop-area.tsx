import { useState, type DragEvent, type ReactNode } from 'react';
import classes from '../workspaces.module.css';

interface Props {
  /** The text that is shown while files are dragged over the area. */
  readonly label: string;
  /** Undefined when files cannot be dropped. */
  readonly onFiles: ((files: readonly File[]) => void) | undefined;
  readonly children: ReactNode;
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');

/** Accepts files that are dropped on it. A button does the same without dragging. */
export function DropArea({ label, onFiles, children }: Props) {
  // Children send these events too: the pointer is inside while there were more enters than leaves.
  const [depth, setDepth] = useState(0);
  if (onFiles === undefined) return children;
  const within = (event: DragEvent, action: () => void): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    action();
  };
  return (
    <div
      className={classes['drop']}
      onDragEnter={(event) => within(event, () => setDepth((known) => known + 1))}
      onDragOver={(event) => within(event, () => undefined)}
      onDragLeave={(event) => within(event, () => setDepth((known) => Math.max(0, known - 1)))}
      onDrop={(event) =>
        within(event, () => {
          setDepth(0);
          onFiles([...event.dataTransfer.files]);
        })
      }
    >
      {children}
      {depth > 0 && <div className={classes['over']}>{label}</div>}
    </div>
  );
}
