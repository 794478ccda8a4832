/** The actions of a job, on its page and in the list: cancel, retry, remove, take down the rest of its lab. */
import { Code, List, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Job } from '../../../../src/client/api-types.ts';
import { queryClient } from '../api/query-client.ts';
import { client, sendTo, submitJob } from '../api/service.ts';
import { tellError } from './tell.ts';
import { Question } from './question.tsx';

const complain = (error: unknown): void => tellError('The action failed', error);

function known(job: Job): void {
  queryClient.setQueryData(['job', job.id], job);
  void queryClient.invalidateQueries({ queryKey: ['jobs'] });
}

/** The request that removes the rest of the lab of a job. */
function downOf(job: Job) {
  // The lab may be in a directory of the workspace.
  const where = job.workspace !== null && { workspace: job.workspace };
  return { action: 'down' as const, ...where, workdir: job.workdir, cleanup: true, force: true };
}

export function useJobActions({ onNew }: { readonly onNew?: (job: Job) => void } = {}) {
  const onSuccess = (job: Job): void => {
    known(job);
    onNew?.(job);
  };
  const cancel = useMutation({
    mutationFn: async ({ id, force }: { id: string; force: boolean }) =>
      sendTo<Job>('POST', `/jobs/${encodeURIComponent(id)}/cancel`, force ? { body: { force } } : {}),
    onSuccess: known,
    onError: complain,
  });
  const retry = useMutation({
    mutationFn: async (id: string) => client.retryJob(id),
    onSuccess,
    onError: complain,
  });
  const takeDown = useMutation({
    mutationFn: async (job: Job) => submitJob(downOf(job)),
    onSuccess,
    onError: complain,
  });
  return { cancel, retry, takeDown };
}

/** Asks before a job is removed, and names the data that is deleted. */
export function RemoveJob({
  job,
  onClose,
  onRemoved,
}: {
  /** Undefined closes the dialog. */
  readonly job: Job | undefined;
  readonly onClose: () => void;
  readonly onRemoved?: () => void;
}) {
  // The text stays while the dialog closes.
  const [last, setLast] = useState(job);
  if (job && job !== last) setLast(job);
  const remove = useMutation({
    mutationFn: async (id: string) => client.removeJob(id),
    onSuccess: (_, id) => {
      onClose();
      notifications.show({ message: 'The job was removed', color: 'green' });
      onRemoved?.();
      queryClient.removeQueries({ queryKey: ['job', id] });
      void queryClient.invalidateQueries({ queryKey: ['jobs'] });
    },
  });
  return (
    <Question
      isOpen={job !== undefined}
      title="Remove this job?"
      no="Keep it"
      yes="Remove the job"
      isDangerous
      isBusy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onYes={() => last && remove.mutate(last.id)}
    >
      {last && (
        <Text size="sm" component="div">
          This deletes the following data of <Code>{last.id}</Code> ({last.action}
          {last.instance === null ? '' : ` of ${last.instance}`}):
        </Text>
      )}
      <List size="sm">
        <List.Item>its record: its user, its times and its result</List.Item>
        <List.Item>its log</List.Item>
        <List.Item>the topology that was sent with it, and its own artifacts</List.Item>
      </List>
      <Text size="sm">The lab itself, and the files in its directory, stay as they are.</Text>
    </Question>
  );
}
