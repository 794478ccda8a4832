/** What one may do with a lab that is there, and what the service says to it. */
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

/** Gives the lab another end; null for none. `isErrorTold` is for a menu, which is gone when the service refuses. */
export function useLease(lab: Lab, isErrorTold: boolean) {
  return useMutation({
    mutationFn: async (end: Date | null) =>
      sendTo<Lease>('PATCH', labPath(lab.id), { body: { expiresAt: end?.toISOString() ?? null } }),
    onSuccess: async ({ expiresAt }) => {
      notifications.show({
        title: `Lab ${labText(lab)}`,
        message: expiresAt === null ? 'has no end now' : `ends ${momentText(new Date(expiresAt))}`,
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

/** Queues a job for the lab. `done` is what the page then says of the lab: "is being stopped". */
export function useLabJob(lab: Lab, done: string) {
  return useMutation({
    mutationFn: async (request: JobRequest): Promise<Job> =>
      client.startJob({
        ...request,
        instance: lab.id,
        cli: lab.cli,
        // Where the status cannot be told, the directory alone leads to the lab.
        ...(lab.workdir !== null && { workdir: lab.workdir }),
      }),
    onSuccess: async () => {
      notifications.show({ title: `Lab ${labText(lab)}`, message: done, color: 'blue' });
      await askAgain(lab.id);
    },
  });
}
