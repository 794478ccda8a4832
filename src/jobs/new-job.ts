import type { Job } from './job.ts';
import type { JobPlan } from './lab-port.ts';
import type { JobRequest } from './request.ts';

export interface JobMeta {
  readonly requestedBy: string | null;
  readonly timeoutMs: number;
}

/** The first record of a job: queued, nothing known of its end. */
export function newJob(
  id: string,
  request: JobRequest,
  plan: JobPlan & { savedTopologyPath: string },
  meta: JobMeta,
): Job {
  return {
    id,
    action: request.action,
    state: 'queued',
    createdAt: new Date().toISOString(),
    startedAt: null,
    finishedAt: null,
    error: null,
    workdir: plan.workdir,
    reason: null,
    exitCode: null,
    signal: null,
    command: [...plan.command(plan.savedTopologyPath)],
    request: { ...request.accepted },
    warnings: [...request.warnings, ...plan.warnings],
    instance: plan.instance,
    labels: { ...request.labels },
    requestedBy: meta.requestedBy,
    retryOf: null,
    timeoutMs: meta.timeoutMs,
    stopRequest: null,
    logSize: null,
    progress: null,
    leftovers: [],
  };
}
