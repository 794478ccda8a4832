/** From the record of a job to what clients see of it. */
import { stat } from 'node:fs/promises';
import { readLogEnd } from '../log/log-file.ts';
import { lastMeaningfulLine } from '../log/progress.ts';
import { isTerminal, type Job } from '../model/job.ts';
import type { Turn } from '../run/job-queue.ts';
import { publicFields, type JobView } from '../model/job-view.ts';

const progressBytes = 4_096;

interface Live extends Pick<JobView, 'host' | 'logPath' | 'webhook'> {
  /** In the queue; null for a job that does not wait. */
  readonly turn: Turn | null;
  /** Where the log ends at the latest, when that is known. */
  readonly mostLogBytes: number | undefined;
  /** Lines that match it are no progress. */
  readonly nonProgress: RegExp | undefined;
}

async function liveLog(
  file: string,
  { mostLogBytes: most = Number.MAX_SAFE_INTEGER, nonProgress }: Pick<Live, 'mostLogBytes' | 'nonProgress'>,
): Promise<Pick<JobView, 'logSize' | 'progress'>> {
  const entry = await stat(file).catch(() => undefined);
  if (!entry) return { logSize: 0, progress: null };
  const message = lastMeaningfulLine(await readLogEnd(file, progressBytes), nonProgress);
  const progress = message === null ? null : { message, at: entry.mtime.toISOString() };
  return { logSize: Math.min(entry.size, most), progress };
}

/** Whether all of its view is on record. The final size of the log may be missing there: it is measured then. */
export function isFinal(job: Job): job is Job & { readonly logSize: number } {
  return isTerminal(job.state) && job.logSize !== null;
}

/** Adds what is not on record: where the log is and how far it has come, and the job's place in the queue. */
export async function viewJob(job: Job, { host, logPath, turn, webhook, ...log }: Live): Promise<JobView> {
  const { logSize: _size, progress, ...shown } = publicFields(job);
  const live = isFinal(job) ? { logSize: job.logSize, progress } : await liveLog(logPath, log);
  // A job that was canceled while it waited has ended on record a moment before it is out of the queue; the last view is kept.
  const place = job.state === 'queued' ? turn : null;
  return {
    ...shown,
    logPath,
    host,
    queuePosition: place?.position ?? null,
    waitsFor:
      place &&
      (place.waitsFor === null
        ? { reason: 'capacity', job: null }
        : { reason: 'workdir', job: place.waitsFor }),
    webhook,
    ...live,
  };
}
