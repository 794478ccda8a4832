import { watch } from 'node:fs';
import path from 'node:path';
import { after, Disposer } from '../async/disposal.ts';

interface FileWatch {
  /** Programs that write several files, or into the file itself, are given this long after their last step. */
  readonly settleMs: number;
  /** A file was written, replaced or removed. */
  readonly onChange: () => void;
  /** Changes are not seen, or not any more. */
  readonly onFail: (error: unknown) => void;
}

/** Watches the directories of files: a watch on a file itself would stay with the old file when it is replaced. The result ends the watch. */
export function watchFiles(files: readonly string[], { settleMs, onChange, onFail }: FileWatch): () => void {
  const disposer = new Disposer();
  const names = new Set(files.map((file) => path.basename(file)));
  let cancel: (() => void) | undefined;
  const later = (_event: unknown, name: string | null): void => {
    // Kubernetes swaps a directory behind the link `..data`.
    if (name !== null && !names.has(name) && name !== '..data') return;
    cancel?.();
    cancel = after(settleMs, onChange);
  };
  for (const directory of new Set(files.map((file) => path.dirname(file)))) {
    try {
      const watcher = watch(directory, { persistent: false }, later).on('error', onFail);
      disposer.add(() => watcher.close());
    } catch (error) {
      onFail(error);
    }
  }
  disposer.add(() => cancel?.());
  return () => disposer.dispose();
}
