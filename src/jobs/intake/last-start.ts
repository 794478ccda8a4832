import { specOf } from '../../labs/model/actions.ts';
import type { FindStart, LabStart } from '../../labs/model/command-record.ts';
import { isTerminal, type Job } from '../model/job.ts';
import type { JobStore } from '../store/job-store.ts';

/** Records that are read for one answer: as many starts in a row may have been refused since. */
const mostRecords = 10;

/** Undefined for one that was refused, and for a dry run: they have started nothing. */
function startOf({ state, mayHaveLeftLab, request, ...job }: Job): LabStart | undefined {
  if (request['dryRun'] === true) return undefined;
  const mayBeUnlisted = mayHaveLeftLab || !isTerminal(state);
  return mayBeUnlisted || state === 'success' ? { ...job, mayBeUnlisted } : undefined;
}

/** By the jobs of this store. A record that cannot be read just now counts as none. */
export function findStartIn(store: Pick<JobStore, 'select' | 'get'>): FindStart {
  return async (lab) => {
    const found = store.select(
      ({ action, workdir, instance }) =>
        specOf(action).cleanedUpBy !== undefined &&
        ('workdir' in lab ? workdir === lab.workdir : instance === lab.instance),
      mostRecords,
    );
    for (const { id } of found) {
      const job = await store.get(id).catch(() => undefined);
      const start = job && startOf(job);
      if (start !== undefined) return start;
    }
    return undefined;
  };
}
