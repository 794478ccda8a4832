/** The queries of the lab page, besides the lab itself. */
import { useQuery } from '@tanstack/react-query';
import type { Lab } from '../../../../../src/client/api-types.ts';
import type { JobFilter } from '../../../../../src/client/filters.ts';
import { instanceOf } from '../../api/lab-id.ts';
import { client } from '../../api/service.ts';

/** Read again for each start of the lab: the lab CLI has to run to list the tests. */
export const useTestsOf = (id: string, startedAt: string | null, isWanted: boolean) =>
  useQuery({
    queryKey: ['tests', id, startedAt],
    queryFn: async () => client.labTests(id),
    enabled: isWanted,
    retry: false,
  });

/** The jobs of a lab: other directories have had labs with its number. */
export const jobsOf = ({ id, workdir }: Pick<Lab, 'id' | 'workdir'>): JobFilter => ({
  ...instanceOf(id),
  ...(workdir !== null && { workdir }),
});
