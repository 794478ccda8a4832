/** Requests that change a lab, and their messages. */
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import type { Job, JobRequest, Lab, LabChange, Lease } from '../../../../../src/client/api-types.ts';
import { useService } from '../../api/queries.ts';
import { fetchAgain } from '../../api/query-client.ts';
import { labPath, sendTo, submitJob } from '../../api/service.ts';
import { labText } from '../lab-title.ts';
import { momentText } from './lab-words.ts';
import { tellError } from '../tell.ts';

const askAgain = async (id: string): Promise<void> => fetchAgain(['labs'], ['lab', id], ['jobs']);

/** The longest time that the lab may live from now on, in ms; infinity without a limit, or where only another host knows it. */
export function useLongestLife({ host }: Lab): number {
  const { data: service } = useService();
  const seconds = service?.host === host ? service.leases.maxTtlSeconds : null;
  return seconds === null ? Number.POSITIVE_INFINITY : seconds * 1000;
}

/** Sets the end of the lab. `isErrorTold` is for menus, which are closed when the refusal arrives. */
export function useLease(lab: Lab, isErrorTold: boolean) {
  return useMutation({
    mutationFn: async (change: LabChange) => sendTo<Lease>('PATCH', labPath(lab.id), { body: change }),
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

/** Queues a job for the lab. `done` is the message about the lab: "is being stopped"; none where the page shows the job. */
export function useLabJob(lab: Lab, done?: string) {
  return useMutation({
    mutationFn: async (request: JobRequest): Promise<Job> =>
      submitJob({
        ...request,
        instance: lab.id,
        cli: lab.cli,
        // When the status is unknown, only the directory identifies the lab.
        ...(lab.workdir !== null && { workdir: lab.workdir }),
      }),
    onSuccess: async () => {
      if (done !== undefined)
        notifications.show({ title: `Lab ${labText(lab)}`, message: done, color: 'blue' });
      await askAgain(lab.id);
    },
  });
}
