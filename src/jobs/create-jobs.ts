/** Joins the parts that run jobs, in the order in which they need one another. */
import type { Logger } from '../lib/logger.ts';
import { Admission, type JobLimits } from './intake/admission.ts';
import { LocalJobService } from './local-job-service.ts';
import { LocalJobs } from './local-jobs.ts';
import type { LabPort } from './model/lab-port.ts';
import { JobQueue } from './run/job-queue.ts';
import { PostponedStarts } from './run/postponed-starts.ts';
import { Supervisor } from './run/supervisor.ts';
import { JobStore } from './store/job-store.ts';

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
  /** Called when a job would not end by SIGINT and SIGTERM, and had to be killed. */
  readonly onKill?: () => void;
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
export function createJobs({ directory, lab, settings, log, onKill }: JobsDeps): Jobs {
  const store = new JobStore(directory, log);
  const queue = new JobQueue(settings.maxRunningJobs);
  const admission = new Admission({ store, queue, lab, limits: settings, log });
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
    onKill,
  });
  const jobs = new LocalJobs({ store, queue, admission, supervisor, postponed, log });
  return { store, postponed, supervisor, jobs, service: new LocalJobService(jobs, store) };
}
