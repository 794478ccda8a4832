import { fileSizeNow } from '../../lib/file-size.ts';

/**
 * Where this service has ended the logs of jobs. Processes that outlive their job may go on printing into its file: what
 * stands behind that size does not belong to the job, and nobody is shown it.
 */
export class FrozenLogs {
  readonly #sizes = new Map<string, number>();

  /**
   * Ends a job's log where its file ends now; gives the size in bytes, null when the file cannot be looked at. It measures
   * and notes in one step: whoever measures a longer file does so afterwards, and then finds the note.
   */
  freeze(id: string, file: string): number | null {
    const size = fileSizeNow(file);
    if (size !== null) this.#sizes.set(id, size);
    return size;
  }

  /** Bytes; undefined while the log may grow. */
  sizeOf(id: string): number | undefined {
    return this.#sizes.get(id);
  }

  forget(id: string): void {
    this.#sizes.delete(id);
  }
}
