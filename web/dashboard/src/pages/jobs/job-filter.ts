/** The filters in the address; names and values are those of `GET /jobs`. */
import type { JobState } from '../../../../../src/client/api-types.ts';
import type { JobListFilter } from '../../../../../src/client/filters.ts';

export const jobStates: readonly JobState[] = [
  'queued',
  'running',
  'canceling',
  'success',
  'failed',
  'canceled',
];

/** Filters with one value each. */
const textFilters = [
  'action',
  'instance',
  'workdir',
  'workspace',
  'requestedBy',
  'since',
  'until',
] as const satisfies (keyof JobListFilter)[];

const isState = (text: string): text is JobState => jobStates.some((state) => state === text);

export function filterOf(query: URLSearchParams): JobListFilter {
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
    ...(state.length > 0 && { state }),
    ...(label.length > 0 && { label }),
    ...Object.fromEntries(texts),
  };
}

/** The query of the address, without the question mark. */
export function queryOf(filter: JobListFilter): URLSearchParams {
  const query = new URLSearchParams();
  if (filter.state && filter.state.length > 0) query.set('state', filter.state.join(','));
  for (const name of textFilters) {
    const value = filter[name];
    if (value !== undefined && value !== '') query.set(name, value);
  }
  for (const label of filter.label ?? []) query.append('label', label);
  return query;
}
