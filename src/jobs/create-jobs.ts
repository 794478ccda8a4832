/** Joins the parts that run jobs, in the order in which they need one another. */
import { invalidField } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import { Admission, type JobLimits } from './intake/admission.ts';
import { LocalJobService, type WebhookOf } from './local-job-service.ts';
import { LocalJobs } from './local-jobs.ts';
import type { FreeIdPort, LabPort, LeasePort } from './model/lab-port.ts';
import { JobQueue, PostponedStarts } from './run/job-queue.ts';
import { Supervisor } from './run/supervisor.ts';
import { JobStore } from './store/job-store.ts';

/** What jobs need to know about callbacks. */
export interface Callbacks {
  /** Checks where a job is to report, and gives warnings. @throws AppError when nothing may be sent there. */
  readonly check: (url: string) => Promise<readonly string[]>;
  readonly stateOf: WebhookOf;
}

const noCallbacks: Callbacks = {
  check: async () => Promise.reject(invalidField('callbackUrl', 'this service sends no callbacks')),
  stateOf: () => null,
};

const noFreeIds: FreeIdPort = {
  take: async () => Promise.reject(invalidField('multilabId', 'this service knows of no free ids')),
};

const noLeases: LeasePort = {
  ttlMsOf: ({ ttlSeconds }) => {
    if (ttlSeconds === undefined) return null;
    throw invalidField('ttlSeconds', 'this service takes no lab down by itself');
  },
  expect: async () => Promise.resolve(),
  forget: () => undefined,
  whyObsolete: async () => Promise.resolve(undefined),
};

interface JobSettings extends JobLimits {
  readonly maxRunningJobs: number;
  /** Between SIGINT and SIGTERM, and between SIGTERM and SIGKILL. */
  readonly cancelGraceMs: number;
  readonly maxLogSizeBytes: number;
}

interface JobsDeps {
  /** The jobs directory. */
  readonly directory: string;
  readonly lab: LabPort;
  readonly settings: JobSettings;
  readonly log: Logger;
  /** Whoever delivers callbacks; without it, a `callbackUrl` is refused. */
  readonly callbacks?: Callbacks;
  /** Whoever knows which multilab ids are free; without it, `"auto"` is refused. */
  readonly freeIds?: FreeIdPort;
  /** Whoever ends labs when their time is over; without it, no lab has a time. */
  readonly leases?: LeasePort;
  /** Called when a job would not end by SIGINT and SIGTERM, and had to be killed. */
  readonly onKill?: () => void;
  /** What this host is called in its cluster. */
  readonly host?: string | null;
}

interface Jobs {
  readonly store: JobStore;
  readonly postponed: PostponedStarts;
  readonly supervisor: Supervisor;
  readonly jobs: LocalJobs;
  /** The same jobs for HTTP. */
  readonly service: LocalJobService;
}

/** Nothing is touched on disk, and no job is looked at, before `store.prepare`, `store.load` and `jobs.recover`. */
export function createJobs({
  directory,
  lab,
  settings,
  log,
  callbacks = noCallbacks,
  freeIds = noFreeIds,
  leases = noLeases,
  onKill,
  host = null,
}: JobsDeps): Jobs {
  const store = new JobStore(directory, log);
  const queue = new JobQueue(settings.maxRunningJobs);
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
  const { cancelGraceMs, maxLogSizeBytes } = settings;
  const cleanUp = admission.cleanUp.bind(admission);
  const postponed = new PostponedStarts();
  const supervisor = new Supervisor({
    store,
    postponed,
    lab,
    log,
    cancelGraceMs,
    maxLogSizeBytes,
    cleanUp,
    whyObsolete: async (job) => leases.whyObsolete(job),
    onKill,
  });
  const jobs = new LocalJobs({ store, queue, admission, supervisor, postponed, log });
  const service = new LocalJobService({ jobs, store, lab, webhookOf: callbacks.stateOf, host });
  return { store, postponed, supervisor, jobs, service };
}
