import { Button } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { Job, StoppedLab } from '../../../../src/client/api-types.ts';
import { jobTopology } from '../api/queries.ts';
import { fetchAgain } from '../api/query-client.ts';
import { client, submitJob } from '../api/service.ts';
import { labTitle } from './lab-title.ts';
import { tellError } from './tell.ts';

export const stoppedTitle = ({ instance, workspace, workdir }: StoppedLab): string =>
  labTitle({ id: instance ?? workdir, name: null, workspace, workdir });

/** A retry of a job that made a workspace for itself would make another one. */
async function startAgain({ startJob, workspace }: StoppedLab): Promise<Job> {
  const { request } = await client.getJob(startJob);
  if (request.workspace !== 'auto' || workspace === null) return client.retryJob(startJob);
  const topology = request.topology === undefined ? {} : { topology: await jobTopology(startJob) };
  return submitJob({ ...request, ...topology, workspace });
}

/** Starts a stopped lab in its directory, with the options of its last start, and shows the job. */
export function StartAgain({ lab, size = 'xs' }: { readonly lab: StoppedLab; readonly size?: string }) {
  const [, navigate] = useLocation();
  const start = useMutation({
    mutationFn: async () => startAgain(lab),
    onSuccess: async ({ id }) => {
      navigate(`/jobs/${id}`);
      await fetchAgain(['labs'], ['jobs']);
    },
    onError: (error) => tellError(`${stoppedTitle(lab)} cannot be started`, error, { stays: true }),
  });
  return (
    <Button
      size={size}
      variant="default"
      leftSection={<IconPlayerPlay size={16} aria-hidden />}
      aria-label={`Start again: ${stoppedTitle(lab)}`}
      loading={start.isPending}
      onClick={() => start.mutate()}
    >
      Start again
    </Button>
  );
}
