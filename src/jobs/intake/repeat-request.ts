import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError, systemCode } from '../../lib/app-error.ts';
import { findsDirectoryByInstance, readsTopology } from '../../labs/actions.ts';
import type { Job } from '../model/job.ts';
import { parseJobRequest, type JobRequest } from '../model/job-request.ts';

async function exists(directory: string): Promise<boolean> {
  return access(directory).then(
    () => true,
    () => false,
  );
}

async function readTopology(job: Job, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const isGone = systemCode(error) === 'ENOENT';
    // Removed in this moment, with all its files.
    if (isGone && !(await exists(path.dirname(file))))
      throw new AppError('job-not-found', `there is no job ${job.id}`, { cause: error });
    throw new AppError(
      isGone ? 'topology-not-found' : 'storage-fault',
      `the topology that came with ${job.id} ${isGone ? 'is gone' : 'cannot be read at the moment'}`,
      { cause: error },
    );
  }
}

/** Whether the job ran with the topology in its request; with a URL beside it, that came first. */
function ranInline({ action, request }: Job): boolean {
  return (
    readsTopology(action, request) &&
    request['topology'] !== undefined &&
    request['topologyUrl'] === undefined
  );
}

/**
 * Where a job is to run again. Its very directory: a relative one might lead elsewhere by now. An action that found its
 * directory by the lab instance looks for it anew, for the lab may live elsewhere by now.
 */
function directoryOf({ action, workdir, request }: Job): { workdir?: string } {
  const isByInstance = findsDirectoryByInstance(action) && request['instance'] !== undefined;
  const isGiven = request['workdir'] !== undefined || request['workspaceRoot'] !== undefined;
  return isByInstance && !isGiven ? {} : { workdir };
}

/**
 * The request that a finished job came from, once more; `topologyFile` is where the job's own topology is kept.
 * @throws AppError `topology-not-found` when the topology that came with the request is gone, `job-not-found` when the
 * whole job is.
 */
export async function repeatRequest(job: Job, topologyFile: string): Promise<JobRequest> {
  const { topology: _kept, workspaceRoot: _other, workdir: _relative, ...rest } = job.request;
  const topology = ranInline(job) ? { topology: await readTopology(job, topologyFile) } : {};
  return parseJobRequest({ ...rest, ...topology, ...directoryOf(job) });
}
