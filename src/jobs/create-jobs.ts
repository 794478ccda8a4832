/** Joins the parts that run jobs, in the order in which they need one another. */
import type { Logger } from '../lib/logger.ts';
import { Admission, type JobLimits } from './intake/admission.ts';
import { IdempotencyKeys } from './intake/idempotency.ts';
import { JobsLifecycle } from './jobs-lifecycle.ts';
import { LocalJobs, type WebhookOf } from './local-jobs.ts';
import type { FreeIdPort, LabPort, LeasePort } from './model/lab-port.ts';
import { JobQueue, PostponedStarts } from './run/job-queue.ts';
import { Scheduler } from './run/scheduler.ts';
import { Supervisor, type RunLimits } from './run/supervisor.ts';
import { JobStore } from './store/job-store.ts';

/** The delivery of callbacks. */
export interface Callbacks {
  /** Checks the URL of a callback, and returns warnings. @throws AppError when no message may be sent there. */
  readonly check: (url: string) => Promise<readonly string[]>;
  readonly stateOf: WebhookOf;
}

interface JobSettings extends JobLimits, RunLimits {
  readonly maxRunningJobs: number;
}

interface JobsDeps {
  /** The jobs directory. */
  readonly directory: string;
  readonly lab: LabPort;
  /** They may change. */
  readonly settings: JobSettings;
  readonly log: Logger;
  readonly callbacks: Callbacks;
  readonly freeIds: FreeIdPort;
  readonly leases: LeasePort;
  /** Called when a job did not end on SIGINT and SIGTERM, and was killed. */
  readonly onKill?: () => void;
  /** The name of this host in its cluster; null for a service that works alone. */
  readonly host: string | null;
}

interface Jobs {
  readonly store: JobStore;
  readonly postponed: PostponedStarts;
  readonly supervisor: Supervisor;
  readonly jobs: LocalJobs;
  readonly lifecycle: JobsLifecycle;
}

/** Nothing on disk is read or written before `store.prepare`, `store.load` and `lifecycle.recover`. */
export function createJobs({
  directory,
  lab,
  settings,
  log,
  callbacks,
  freeIds,
  leases,
  onKill,
  host,
}: JobsDeps): Jobs {
  const store = new JobStore(directory, log);
  const queue = new JobQueue(settings);
  const admission = new Admission({
    store,
    queue,
    lab,
    limits: settings,
    log,
    checkCallback: callbacks.check,
    freeIds,
    leases,
  });
  const cleanUp = admission.cleanUp.bind(admission);
  const postponed = new PostponedStarts();
  const supervisor = new Supervisor({
    store,
    postponed,
    lab,
    log,
    limits: settings,
    cleanUp,
    whyObsolete: async (job) => leases.whyObsolete(job),
    onKill,
  });
  const scheduler = new Scheduler({ store, queue, supervisor, postponed, lab, log });
  const idempotency = new IdempotencyKeys(store);
  const parts = { store, queue, scheduler, supervisor, admission, idempotency, log };
  const jobs = new LocalJobs({ ...parts, lab, webhookOf: callbacks.stateOf, host });
  return { store, postponed, supervisor, jobs, lifecycle: new JobsLifecycle(parts) };
}
