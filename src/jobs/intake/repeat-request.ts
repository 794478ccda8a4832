import path from 'node:path';
import { findsDirectoryByInstance, readsTopology } from '../../labs/model/actions.ts';
import { AppError } from '../../lib/app-error.ts';
import { exists } from '../../lib/files/exists.ts';
import { readPlainFile } from '../../lib/files/plain-file.ts';
import type { Job } from '../model/job.ts';
import { autoWorkspace } from '../model/job-request-rules.ts';
import { parseJobRequest, type JobRequest } from '../model/job-request.ts';
import { noSuchJob } from '../model/no-such-job.ts';

/**
 * The topology that is kept in `file`, beside the record of the job.
 * @throws AppError `topology-not-found`, `job-not-found`, `storage-fault`.
 */
export async function readTopology(job: Job, file: string): Promise<string> {
  const reading = await readPlainFile(file);
  if (reading.kind === 'found') return reading.text;
  const isGone = reading.kind === 'absent';
  const cause = reading.error;
  // Without its directory, the job was removed in this moment, with all its files.
  if (isGone && !(await exists(path.dirname(file)).catch(() => false))) throw noSuchJob(job.id);
  throw new AppError(
    isGone ? 'topology-not-found' : 'storage-fault',
    `the topology that came with ${job.id} ${isGone ? 'is gone' : 'cannot be read at the moment'}`,
    { cause },
  );
}

/** Whether the job ran with the topology that is in its request. When the request names a URL too, that was taken. */
function ranInline({ action, request }: Job): boolean {
  return (
    readsTopology(action, request) &&
    request['topology'] !== undefined &&
    request['topologyUrl'] === undefined
  );
}

/**
 * Where a job is to run again: in the directory that it ran in, whatever the request called it, for a relative path might
 * lead elsewhere by now, unless that was made for it alone. An action that found its directory by the lab instance looks for it anew, for the lab may live
 * elsewhere by now.
 */
function directoryOf({
  action,
  workdir,
  workspace,
  request,
}: Job): Partial<Record<'workdir' | 'workspace', string>> {
  const isByInstance = findsDirectoryByInstance(action) && request['instance'] !== undefined;
  const isGiven = request['workdir'] !== undefined || request['workspaceRoot'] !== undefined;
  // A new workspace, as the first job had one, whose files stay as they are. A given directory lies in the workspace.
  const given = request['workdir'] ?? request['workspaceRoot'];
  if (request['workspace'] === autoWorkspace)
    return { workspace: autoWorkspace, ...(typeof given === 'string' && { workdir: given }) };
  // A workspace that was removed meanwhile is made again.
  if (request['workspace'] !== undefined && workspace !== null)
    return { workspace, ...(isGiven && { workdir }) };
  return isByInstance && !isGiven ? {} : { workdir };
}

/**
 * The request that a finished job came from, once more; `topologyFile` is where the job's own topology is kept.
 * @throws AppError `topology-not-found` when the topology that came with the request is gone, `job-not-found` when the
 * whole job is.
 */
export async function repeatRequest(job: Job, topologyFile: string): Promise<JobRequest> {
  const {
    topology: _kept,
    workspaceRoot: _other,
    workdir: _relative,
    workspace: _auto,
    ...rest
  } = job.request;
  const topology = ranInline(job) ? { topology: await readTopology(job, topologyFile) } : {};
  const request = parseJobRequest({ ...rest, ...topology, ...directoryOf(job) });
  // The request is in the terms of the lab CLI that it was accepted for.
  return job.cli === null ? request : { ...request, cli: job.cli };
}
