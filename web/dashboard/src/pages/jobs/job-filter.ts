/** The filters in the address; names and values are those of `GET /jobs`. */
import type { Job, JobState } from '../../../../../src/client/api-types.ts';
import type { JobFilter } from '../../../../../src/client/lab-api-client.ts';

export const jobStates: readonly JobState[] = [
  'queued',
  'running',
  'canceling',
  'success',
  'failed',
  'canceled',
];

/** Filters of the service with one value each. */
const textFilters = ['action', 'instance', 'workdir', 'workspace'] as const;

/** The service has no filter for users: the page filters the jobs that it has loaded. */
export interface PageFilter {
  readonly service: JobFilter;
  /** A part of a user name; empty for all users. */
  readonly by: string;
}

const isState = (text: string): text is JobState => jobStates.some((state) => state === text);

export function filterOf(query: URLSearchParams): PageFilter {
  const state = query
    .getAll('state')
    .flatMap((value) => value.split(','))
    .filter(isState);
  const label = query.getAll('label').filter((value) => /^[^=]/.test(value));
  const texts = textFilters.flatMap((name) => {
    const value = query.get(name);
    return value === null || value === '' ? [] : [[name, value] as const];
  });
  return {
    service: {
      ...(state.length > 0 && { state }),
      ...(label.length > 0 && { label }),
      ...Object.fromEntries(texts),
    },
    by: query.get('by') ?? '',
  };
}

/** The query of the address, without the question mark. */
export function queryOf({ service, by }: PageFilter): URLSearchParams {
  const query = new URLSearchParams();
  if (service.state && service.state.length > 0) query.set('state', service.state.join(','));
  for (const name of textFilters) {
    const value = service[name];
    if (value !== undefined && value !== '') query.set(name, value);
  }
  for (const label of service.label ?? []) query.append('label', label);
  if (by !== '') query.set('by', by);
  return query;
}

export function isAskedBy({ requestedBy }: Job, by: string): boolean {
  return by === '' || (requestedBy ?? '').toLowerCase().includes(by.toLowerCase());
}
