/** Requests that change a lab, and their messages. */
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import type { Job, JobRequest, Lab, Lease } from '../../../../../src/client/api-types.ts';
import { queryClient } from '../../api/query-client.ts';
import { client, labPath, sendTo } from '../../api/service.ts';
import { labText } from '../lab-title.ts';
import { momentText } from './lab-words.ts';
import { tellError } from '../tell.ts';

async function askAgain(id: string): Promise<void> {
  await Promise.all(
    [['labs'], ['lab', id], ['jobs']].map(async (queryKey) => queryClient.invalidateQueries({ queryKey })),
  );
}

/** Sets the end of the lab; null for no end. `isErrorTold` is for menus, which are closed when the refusal arrives. */
export function useLease(lab: Lab, isErrorTold: boolean) {
  return useMutation({
    mutationFn: async (end: Date | null) =>
      sendTo<Lease>('PATCH', labPath(lab.id), { body: { expiresAt: end?.toISOString() ?? null } }),
    onSuccess: async ({ expiresAt }) => {
      notifications.show({
        title: `Lab ${labText(lab)}`,
        message: expiresAt === null ? 'has no end any more' : `ends ${momentText(new Date(expiresAt))}`,
        color: 'green',
      });
      await askAgain(lab.id);
    },
    ...(isErrorTold && {
      onError: (error: Error) =>
        tellError(`The end of ${labText(lab)} cannot be changed`, error, { stays: true }),
    }),
  });
}

/** Queues a job for the lab. `done` is the message about the lab: "is being stopped". */
export function useLabJob(lab: Lab, done: string) {
  return useMutation({
    mutationFn: async (request: JobRequest): Promise<Job> =>
      client.startJob({
        ...request,
        instance: lab.id,
        cli: lab.cli,
        // When the status is unknown, only the directory identifies the lab.
        ...(lab.workdir !== null && { workdir: lab.workdir }),
      }),
    onSuccess: async () => {
      notifications.show({ title: `Lab ${labText(lab)}`, message: done, color: 'blue' });
      await askAgain(lab.id);
    },
  });
}
