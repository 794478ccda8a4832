/** The title of the window: state, name and page. */
import type { Job, Lab } from '../../../../src/client/api-types.ts';
import { useKnown } from '../api/query-client.ts';
import { placeOf, subjectOf } from '../parts/places.ts';

/** `success · job-17 · lab-api`. `state` is the state of the lab or job, if known. */
export function titleOf(path: string, state?: string): string {
  const place = placeOf(path);
  const subject = subjectOf(path);
  const parts = subject === undefined ? [place?.label ?? 'Page not found'] : [state, subject, place?.label];
  return [...parts.filter((part) => part !== undefined), 'lab-api'].join(' · ');
}

/** The title of a path; it follows the state in the cache and fetches nothing. */
export function useTitleOf(path: string): string {
  const subject = subjectOf(path) ?? '';
  const kind = placeOf(path)?.label;
  const job = useKnown('job', subject) as Job | undefined;
  const lab = useKnown('lab', subject) as Lab | undefined;
  const state = kind === 'Jobs' ? job?.state : kind === 'Labs' ? lab?.state : undefined;
  return titleOf(path, state);
}
