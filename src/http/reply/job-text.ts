import { isTerminal } from '../../jobs/model/job.ts';
import type { JobPage } from '../../jobs/job-service.ts';
import type { JobView } from '../../jobs/model/job-view.ts';
import { strongETag } from './etag.ts';
import { jsonText } from './json.ts';

interface JobText {
  /** With a line feed at its end. */
  readonly text: string;
  readonly etag: string;
}

/** Clients poll the same finished jobs, and each view is converted once. */
const kept = new WeakMap<JobView, JobText>();

/** A job as JSON, with its entity tag. */
export function jobText(job: JobView): JobText {
  const known = kept.get(job);
  if (known) return known;
  const text = jsonText(job);
  const made = { text, etag: strongETag(text) };
  if (isTerminal(job.state)) kept.set(job, made);
  return made;
}

/** A page of jobs as JSON: what `jsonText` makes of it, put together of what is there. */
export function jobPageText({ jobs, nextCursor }: JobPage): string {
  const texts = jobs.map((job) =>
    isTerminal(job.state) ? jobText(job).text.trimEnd() : JSON.stringify(job),
  );
  return `{"jobs":[${texts.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}\n`;
}
