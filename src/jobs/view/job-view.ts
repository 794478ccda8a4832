/** A job as clients see it. Names and values of the first block are those of `netlab api`. */
import { stat } from 'node:fs/promises';
import { isTerminal, type Job } from '../model/job.ts';
import type { JobService } from '../job-service.ts';
import { readLogEnd } from '../log/log-file.ts';
import { lastMeaningfulLine } from '../log/progress.ts';

const progressBytes = 4_096;

export interface JobView extends Omit<Job, 'timeoutMs' | 'stopRequest' | 'idempotency' | 'logSize'> {
  readonly logPath: string;
  readonly host: string | null;
  readonly queuePosition: number | null;
  readonly logSize: number;
}

async function liveLog(file: string): Promise<Pick<JobView, 'logSize' | 'progress'>> {
  const entry = await stat(file).catch(() => undefined);
  if (!entry) return { logSize: 0, progress: null };
  const message = lastMeaningfulLine(await readLogEnd(file, progressBytes));
  const progress = message === null ? null : { message, at: entry.mtime.toISOString() };
  return { logSize: entry.size, progress };
}

/** Adds what is not on record: the place in the queue, and how far the log has come. */
export async function viewJob(job: Job, jobs: JobService): Promise<JobView> {
  const { timeoutMs: _limit, stopRequest: _stop, idempotency: _key, logSize, progress, ...shown } = job;
  const { log } = jobs.store.paths(job.id);
  // How long the log was at the end may not have been to be seen: then it is as long as its file.
  const live = isTerminal(job.state) && logSize !== null ? { logSize, progress } : await liveLog(log);
  return { ...shown, logPath: log, host: null, queuePosition: jobs.queuePosition(job.id), ...live };
}
