/** What jobs need to know about the lab CLI. labs/labs.ts is the real one; tests may plug in another program. */
import type { Job } from './job.ts';
import type { JobRequest } from './job-request.ts';

export interface JobPlan {
  /** Real path of the directory to run in. */
  readonly workdir: string;
  /** The workspace that the directory is, or is in; null for any other. */
  readonly workspace: string | null;
  /** The argument list, program first, when `topologyText` is kept in the given file. */
  readonly command: (savedTopologyPath: string) => readonly string[];
  /** An inline or downloaded topology, to be kept beside the record. */
  readonly topologyText: string | undefined;
  readonly instance: string | null;
  readonly warnings: readonly string[];
}

export interface LabPort {
  /** Checks a request against the machine. @throws AppError when it cannot be run. */
  plan(request: JobRequest): Promise<JobPlan>;
  /** Makes the workspace that a request names, unless it is there. @throws AppError `disk-full`, `storage-fault`. */
  makeWorkspace(name: string, owner: string | null): Promise<void>;
  /** Whether jobs may run in this directory (a real path) now: the service may have been restarted with other rules. */
  allows(workdir: string): boolean;
  /** The environment for the lab CLI's processes. */
  environment(): Record<string, string>;
  /** What a job makes in its working directory for whoever asked for it: files and directories, relative to it or absolute. */
  madeBy(job: Job): readonly { readonly path: string }[];
  /** One sentence for a person about an exit that was not a success. */
  errorSentence(job: Job, end: { exitCode: number | null; signal: string | null }, logEnd: string): string;
  /** After exit code 0: a sentence when the action did not do what it says, else undefined. */
  verify(job: Job, logEnd: string): Promise<string | undefined>;
  /** What a person has to do after a job was ended half-way or failed; undefined when certainly nothing. */
  cleanupHint(job: Job, logEnd: string): string | undefined;
}
