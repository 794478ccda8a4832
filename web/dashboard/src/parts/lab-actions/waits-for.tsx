import { Text } from '@mantine/core';
import type { Lab } from '../../../../../src/client/api-types.ts';
import { useBlockingJobs } from '../../api/queries.ts';
import { JobLink } from '../links.tsx';

/** The jobs of a lab that have to end before it is stopped; nothing if there are none. */
export function WaitsFor({ lab }: { readonly lab: Lab }) {
  const jobs = useBlockingJobs(lab).data ?? [];
  if (jobs.length === 0) return null;
  return (
    <Text size="sm" component="div" role="status">
      This waits until {jobs.length === 1 ? 'a job of the lab has' : `${jobs.length} jobs of the lab have`}{' '}
      ended:{' '}
      {jobs.map(({ id, action }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <JobLink id={id} underline="always">
            {action}
          </JobLink>
        </span>
      ))}
    </Text>
  );
}
