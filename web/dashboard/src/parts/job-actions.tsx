/** The actions of a job, on its page and in the list: cancel, retry, remove, take down the rest of its lab. */
import { Code, List, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Job, Lab } from '../../../../src/client/api-types.ts';
import { hasEnded } from '../../../../src/client/lab-api-client.ts';
import { fetchAgain, queryClient } from '../api/query-client.ts';
import { client, sendTo, submitJob } from '../api/service.ts';
import { labText } from './lab-title.ts';
import { tellError } from './tell.ts';
import { Question } from './question.tsx';

const complain = (error: unknown): void => tellError('The action failed', error);

function known(job: Job): void {
  queryClient.setQueryData(['job', job.id], job);
  void fetchAgain(['jobs']);
}

/** The request that removes the rest of the lab of a job. */
function downOf(job: Job) {
  // The lab may be in a directory of the workspace.
  const where = job.workspace !== null && { workspace: job.workspace };
  return { action: 'down' as const, ...where, workdir: job.workdir, cleanup: true, force: true };
}

/** The actions that end the nodes of a running lab. */
const losing = ['up', 'restart', 'down'];

export function useJobActions({ onNew }: { readonly onNew?: (job: Job) => void } = {}) {
  const onSuccess = (job: Job): void => {
    known(job);
    onNew?.(job);
  };
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
  return { retry, takeDown };
}

/** Retries jobs. A question comes before the nodes of a lab that runs are lost. */
export function useRetry(options: Parameters<typeof useJobActions>[0] = {}) {
  const { retry } = useJobActions(options);
  const [asked, setAsked] = useState<{ readonly job: Job; readonly lab: Lab }>();
  // The lab may have started since the last event of it.
  const look = useMutation({
    mutationFn: async (job: Job) => (losing.includes(job.action) ? client.labs() : []),
    onSuccess: (labs, job) => {
      const lab = labs.find(({ workdir }) => workdir === job.workdir);
      if (lab) setAsked({ job, lab });
      else retry.mutate(job.id);
    },
    onError: complain,
  });
  const question = asked && (
    <Question
      title={`Retry this ${asked.job.action}?`}
      yes="Retry the job"
      isDangerous
      isBusy={retry.isPending}
      onClose={() => setAsked(undefined)}
      onYes={() => retry.mutate(asked.job.id, { onSettled: () => setAsked(undefined) })}
    >
      <Text size="sm">The lab {labText(asked.lab)} runs: all changes in its nodes are lost.</Text>
    </Question>
  );
  return { ask: (job: Job) => look.mutate(job), question, isPending: look.isPending || retry.isPending };
}

/** Tells what a canceled job leaves of its lab. */
function leftBy({ action, request }: Job): string {
  if (['create', 'collect', 'status', 'validate'].includes(action)) return 'The lab stays as it is.';
  if (!losing.includes(action)) return 'Its work so far stays.';
  if (request.onCancel === 'down') return 'Then a "down" removes what is left of the lab.';
  return 'A part of the lab may be left: "Take down the rest" on the page of the job removes it.';
}

/** Cancels jobs. A job that has not begun is canceled at once, and a question comes before anything that runs is ended. */
export function useCancel(): { readonly ask: (job: Job) => void; readonly question: ReactNode } {
  const [asked, setAsked] = useState<Job>();
  const [isOpen, setOpen] = useState(false);
  const cancel = useMutation({
    mutationFn: async ({ id, state }: Job) => {
      const body = state === 'canceling' ? { body: { force: true } } : {};
      return sendTo<Job>('POST', `/jobs/${encodeURIComponent(id)}/cancel`, body);
    },
    onSuccess: known,
    onError: complain,
    onSettled: () => setOpen(false),
  });
  // The job may have begun since the last event of it.
  const look = useMutation({
    mutationFn: async ({ id }: Job) => client.getJob(id),
    onSuccess: (job) => {
      if (job.state === 'queued') return cancel.mutate(job);
      setAsked(job);
      setOpen(!hasEnded(job.state));
    },
    onError: complain,
  });
  const isKill = asked?.state === 'canceling';
  const question = asked && (
    <Question
      isOpen={isOpen}
      title={`${isKill ? 'Kill' : 'Cancel'} this ${asked.action}?`}
      no="Let it run"
      yes={isKill ? 'Kill it' : 'Cancel the job'}
      isDangerous
      isBusy={cancel.isPending}
      onClose={() => setOpen(false)}
      onYes={() => cancel.mutate(asked)}
    >
      <Text size="sm">
        {isKill
          ? 'Its programs are killed and cannot tidy up.'
          : 'Its programs are asked to end, and are killed if they do not.'}{' '}
        {leftBy(asked)}
      </Text>
    </Question>
  );
  return { ask: look.mutate, question };
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
      void fetchAgain(['jobs']);
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
