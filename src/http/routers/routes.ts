/** Every route of the API. */
import type { Route } from '../route.ts';
import { followEvents } from './events.ts';
import { getLiveness, getReadiness } from './health.ts';
import { cancelJob, getJob, removeJob, retryJob } from './job.ts';
import { getJobLog } from './job-log.ts';
import { listJobs, submitJob } from './jobs.ts';
import { changeLab } from './lab-lease.ts';
import { postMcp } from './mcp.ts';
import { getMetrics } from './metrics.ts';
import { getOpenApiJson, getOpenApiYaml, getReferenceFile, getReferencePage } from './reference.ts';
import { getServiceInfo } from './root.ts';
import { getAllStatus, getInstanceStatus } from './status.ts';
import { getTemplates } from './templates.ts';

export const routes: readonly Route[] = [
  getServiceInfo,
  getOpenApiJson,
  getOpenApiYaml,
  getReferencePage,
  getReferenceFile,
  getLiveness,
  getReadiness,
  getTemplates,
  listJobs,
  submitJob,
  getJob,
  removeJob,
  retryJob,
  cancelJob,
  getJobLog,
  followEvents,
  getAllStatus,
  getInstanceStatus,
  changeLab,
  getMetrics,
  postMcp,
];
