import type { IdempotencyClaim } from '../model/idempotency-claim.ts';
import { newRecord, type Job } from '../model/job.ts';
import type { JobScope, JobPlan } from '../model/lab-port.ts';
import type { JobRequest } from '../model/job-request.ts';

/** The user that asked for a job, and the earlier job or the key that it comes from. */
export interface JobOrigin {
  readonly requestedBy: string | null;
  readonly retryOf?: string;
  readonly cleanupOf?: string;
  readonly leaseOf?: string;
  readonly replacedBy?: string;
  readonly claim?: IdempotencyClaim | undefined;
  /** The paths that the user may use; undefined for all. */
  readonly scope?: JobScope | undefined;
  /** Aborted when the client has gone: what takes long is not begun, or ended. */
  readonly signal?: AbortSignal | undefined;
}

function keyOf(claim: IdempotencyClaim | undefined): Job['idempotency'] {
  return claim ? { key: claim.key, fingerprint: claim.fingerprint } : null;
}

/** The first record of a job: queued, nothing known of its end. */
export function newJob(
  id: string,
  request: JobRequest,
  plan: JobPlan & { savedTopologyPath: string; freeId: number | undefined; nodeCount: number | null },
  origin: JobOrigin & { timeoutMs: number },
): Job {
  return newRecord({
    id,
    action: request.action,
    state: 'queued',
    createdAt: new Date().toISOString(),
    workdir: plan.workdir,
    workspace: plan.workspace,
    source: plan.source ?? null,
    command: [...plan.command(plan.savedTopologyPath, plan.freeId)],
    request: { ...request.accepted },
    cli: plan.cli ?? null,
    warnings: [...request.warnings, ...plan.warnings],
    instance: plan.freeId === undefined ? plan.instance : String(plan.freeId),
    labels: { ...request.labels },
    requestedBy: origin.requestedBy,
    retryOf: origin.retryOf ?? null,
    cleanupOf: origin.cleanupOf ?? null,
    leaseOf: origin.leaseOf ?? null,
    replacedBy: origin.replacedBy ?? null,
    nodeCount: plan.nodeCount,
    idempotency: keyOf(origin.claim),
    timeoutMs: origin.timeoutMs,
  });
}
