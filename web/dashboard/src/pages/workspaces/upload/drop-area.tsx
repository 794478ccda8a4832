import { useState, type DragEvent, type ReactNode } from 'react';
import classes from '../workspaces.module.css';

interface Props {
  /** What happens to what is dropped, in words that are shown while files are over the area. */
  readonly label: string;
  /** Undefined where nothing may be dropped. */
  readonly onFiles: ((files: readonly File[]) => void) | undefined;
  readonly children: ReactNode;
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');

/** Takes files that are dropped anywhere on it. A button does the same for those who do not drag. */
export function DropArea({ label, onFiles, children }: Props) {
  // Children tell of the pointer too: what was entered more often than left is under it.
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
