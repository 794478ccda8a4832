import { Button } from '@mantine/core';
import { IconPencil, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Job, StoppedLab, Workspace } from '../../../../src/client/api-types.ts';
import { jobTopology } from '../api/queries.ts';
import { fetchAgain } from '../api/query-client.ts';
import { client, getFrom, submitJob } from '../api/service.ts';
import { labTitle } from './lab-title.ts';
import { MenuEntry, MoreMenu } from './menu.tsx';
import { RemoveWorkspace } from './remove-workspace.tsx';
import { tellError } from './tell.ts';
import { useEditTopology } from './use-edit-topology.ts';

const stoppedTitle = ({ instance, workspace, workdir }: StoppedLab): string =>
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

/** The other actions of a stopped lab. */
export function StoppedMenu({ lab }: { readonly lab: StoppedLab }) {
  const edit = useEditTopology();
  const { workspace } = lab;
  const [removed, setRemoved] = useState<Workspace>();
  const remove = useMutation({
    mutationFn: async (name: string) => getFrom<Workspace>(`/workspaces/${encodeURIComponent(name)}`),
    onSuccess: setRemoved,
    onError: (error) => tellError('The workspace cannot be removed', error),
  });
  return (
    <>
      <MoreMenu label={`Actions of the stopped lab ${stoppedTitle(lab)}`}>
        <MenuEntry Icon={IconPencil} onClick={() => edit.mutate(lab.startJob)}>
          Edit the topology
        </MenuEntry>
        {workspace !== null && (
          <MenuEntry Icon={IconTrash} isDangerous onClick={() => remove.mutate(workspace)}>
            Remove the workspace…
          </MenuEntry>
        )}
      </MoreMenu>
      {removed && <RemoveWorkspace workspace={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
}
