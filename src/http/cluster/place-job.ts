/** A request for a job: finds out where in the cluster it belongs, and has it taken there. */
import path from 'node:path';
import type { Request } from 'express';
import type { WantedJob } from '../../cluster/model/cluster-service.ts';
import type { JobService } from '../../jobs/job-service.ts';
import { parseJobRequest, type JobRequest } from '../../jobs/model/job-request.ts';
import { findsDirectoryByInstance, specOf } from '../../labs/model/actions.ts';
import { workspaceNamePattern } from '../../labs/workspaces/workspace-places.ts';
import { invalidField } from '../../lib/app-error.ts';
import { expandHome } from '../../lib/files/home.ts';
import type { HttpContext } from '../context.ts';
import { splitLabId } from './lab-ids.ts';
import { isPassedOn } from './peer-request.ts';
import { askerOf } from './peers.ts';

type Accepted = Awaited<ReturnType<JobService['submit']>>;
type Claim = Parameters<JobService['submit']>[1]['claim'];

/** Where a new workspace is made for the job, any host will do. */
const anyPlace = 'auto';

interface Submission {
  readonly body: unknown;
  readonly claim: Claim;
  readonly req: Request;
  readonly context: HttpContext;
  /** Has this host take a body. */
  readonly here: (body: unknown) => Promise<Accepted>;
}

function refuseHosts(body: unknown): void {
  const { host, hostLabels } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const named = Boolean(host) || (Array.isArray(hostLabels) && hostLabels.length > 0);
  if (named)
    throw invalidField(host ? 'host' : 'hostLabels', 'this service works alone: it is in no cluster');
}

/** Undefined for an invalid body: the host that parses it reports the error. */
function read(body: unknown): JobRequest | undefined {
  try {
    const request = parseJobRequest(body);
    return request.workspace && !workspaceNamePattern.test(request.workspace) ? undefined : request;
  } catch {
    return undefined;
  }
}

/** `default@lab2` names the host as well; the lab CLI there knows of `default` alone. */
function withPlainInstance(body: unknown, instance: string): unknown {
  return { ...(body as object), instance };
}

function placeOf({
  action,
  workspace,
  workdir,
  workspaceRoot,
  options,
}: JobRequest): Pick<WantedJob, 'workspace' | 'directory' | 'instance'> {
  if (workspace)
    return {
      workspace: workspace === anyPlace ? undefined : workspace,
      directory: undefined,
      instance: undefined,
    };
  const named = workdir || workspaceRoot;
  const { instance } = options;
  if (!named && instance !== undefined && findsDirectoryByInstance(action))
    return { workspace: undefined, directory: undefined, instance };
  const directory = path.resolve(process.cwd(), expandHome(named ?? ''));
  return { workspace: undefined, directory, instance };
}

/** The name of a host that the request names itself, or by its lab. */
function wishesOf({ host, hostLabels = [], options }: JobRequest) {
  const lab = splitLabId(options.instance ?? '');
  if (host !== undefined && lab.host !== undefined && host !== lab.host)
    throw invalidField('host', `the lab "${options.instance}" is on the host ${lab.host}`);
  return {
    host: host ?? lab.host,
    hostLabels,
    instance: options.instance === undefined ? undefined : lab.instance,
  };
}

export async function placeJob({ body: given, claim, req, context, here }: Submission): Promise<Accepted> {
  const { cluster } = context;
  if (!cluster) refuseHosts(given);
  const request = cluster && !isPassedOn(req) ? read(given) : undefined;
  if (!cluster || !request) return here(given);
  const { host, hostLabels, instance } = wishesOf(request);
  const body = instance === undefined ? given : withPlainInstance(given, instance);
  const options = instance === undefined ? request.options : { ...request.options, instance };
  const place = placeOf({ ...request, options });
  const startsLab = specOf(request.action).needsTopology;
  const wanted: WantedJob = {
    body,
    host,
    hostLabels,
    cli: request.cli,
    startsLab,
    ...place,
    claim,
    asker: askerOf(req.principal),
  };
  return cluster.submit(wanted, async () => {
    const accepted = await here(body);
    await cluster.indexed(accepted.job.id);
    return accepted;
  });
}
