import { AppError } from '../../lib/app-error.ts';
import type { GitCommit } from '../../labs/model/git-source.ts';
import type { Job } from '../model/job.ts';
import type { LabPort, SourceWish } from '../model/lab-port.ts';
import { autoWorkspace } from '../model/job-request-rules.ts';
import type { JobRequest } from '../model/job-request.ts';
import type { JobOrigin } from './new-job.ts';

/** Set before a job is planned. */
export interface FromSource {
  readonly id?: string;
  readonly source?: GitCommit;
  readonly warnings?: readonly string[];
}

export type Source = NonNullable<JobRequest['source']>;

export type Admit = (placed: JobRequest, from: FromSource) => Promise<Job>;

interface Asked extends Pick<SourceWish, 'check'> {
  readonly request: JobRequest;
  readonly source: Source;
  readonly origin: JobOrigin;
  /** The id of the job. */
  readonly newId: () => string;
}

/**
 * Brings the files of a repository to the workspace of a request, and calls `admit` with what is known then. The plan of the job
 * looks at the files. The id comes after them, so that ids sort in the order of admission. When `admit` rejects, the workspace is
 * as it was.
 */
export async function withSourceFiles(
  lab: LabPort,
  { request, source, origin, newId, check }: Asked,
  admit: Admit,
): Promise<Job> {
  if (lab.withSource === undefined)
    throw new AppError('not-supported', 'source: this server takes no files from Git');
  const named = request.workspace === autoWorkspace ? undefined : request.workspace;
  const wish: SourceWish = {
    workspace: named,
    owner: origin.requestedBy,
    check,
    signal: origin.signal,
  };
  return lab.withSource(source, wish, async ({ commit, warnings, putInto }) => {
    const id = newId();
    const workspace = named ?? id;
    await putInto(workspace, { job: id });
    return admit({ ...request, workspace }, { id, source: commit, warnings });
  });
}
