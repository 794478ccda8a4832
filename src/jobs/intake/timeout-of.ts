import { invalidField } from '../../lib/app-error.ts';
import { formatDuration } from '../../lib/text/duration.ts';
import type { JobRequest } from '../model/job-request.ts';

/** How long the job of a request may run, in ms. @throws AppError `invalid-request` for more than `maximumMs`. */
export function timeoutOf({ timeoutSeconds }: Pick<JobRequest, 'timeoutSeconds'>, maximumMs: number): number {
  const wanted = timeoutSeconds === undefined ? maximumMs : Math.ceil(timeoutSeconds * 1000);
  if (wanted <= maximumMs) return wanted;
  throw invalidField(
    'timeoutSeconds',
    `must not be over ${maximumMs / 1000} (${formatDuration(maximumMs)}), the limit of this server`,
  );
}
