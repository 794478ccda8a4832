import { jobMatcher, type JobFilter } from '../../jobs/model/job-filter.ts';
import type { Change, EventLab, EventType, GoneJob } from './event.ts';

/** Which events a client wants. All that is given must match. */
export interface EventFilter extends JobFilter {
  /** All of them when there is none. */
  readonly types?: readonly EventType[];
  /** Whether a directory (a real path) is in `workspace`; a lab has no such field. */
  readonly isInWorkspace?: (directory: string) => boolean;
  /** Whether the user may see a lab. */
  readonly isVisibleLab?: (lab: EventLab) => boolean;
}

export interface EventMatcher {
  readonly change: (change: Change) => boolean;
  readonly job: (job: GoneJob) => boolean;
  readonly lab: (lab: EventLab) => boolean;
}

/**
 * Of the filters for jobs, `instance`, `workdir` and `workspace` hold for labs too: those that are up in that directory. The
 * others say nothing of a lab, and none says anything of the service.
 */
export function eventMatcher(filter: EventFilter): EventMatcher {
  const { instance, workdir, isInWorkspace, isVisibleLab } = filter;
  const wants = (type: EventType): boolean => filter.types?.includes(type) ?? true;
  const matchesJob = jobMatcher(filter);
  const job: EventMatcher['job'] = (given) => wants('job') && matchesJob(given);
  const lab: EventMatcher['lab'] = (given) =>
    wants('lab') &&
    (instance === undefined || instance === given.instance) &&
    (workdir === undefined || workdir === given.directory) &&
    (isInWorkspace === undefined || (given.directory !== null && isInWorkspace(given.directory))) &&
    (isVisibleLab === undefined || isVisibleLab(given));
  const change: EventMatcher['change'] = ({ event, data }) => {
    switch (event) {
      case 'job':
        return job(data.job);
      case 'lab':
        return lab(data.lab);
      case 'service':
        return wants('service');
    }
  };
  return { change, job, lab };
}
