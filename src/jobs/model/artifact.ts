import type { FileHandle } from 'node:fs/promises';

/** A file that a job has made, and that may be fetched. */
export interface Artifact {
  /** Below the working directory of the job, or below its own directory for artifacts; with slashes. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly modifiedAt: Date;
  readonly isDirectory: false;
  readonly isProgram: boolean;
  /** Opens it for reading, before the next one is looked at; whoever does closes it. Undefined when it is there no more. */
  readonly open: () => Promise<FileHandle | undefined>;
}
