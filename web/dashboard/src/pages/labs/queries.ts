/** What the labs page asks besides the labs. live.ts refreshes all that begins with `jobs`. */
import { useQuery } from '@tanstack/react-query';
import type { Job, OpenApiDocument, TemplateList } from '../../../../../src/client/api-types.ts';
import { client, getFrom } from '../../api/service.ts';

/** The newest jobs, whatever they do: the last jobs of most labs are among them. */
export const useRecentJobs = () =>
  useQuery({
    queryKey: ['jobs', 'newest'],
    queryFn: async (): Promise<readonly Job[]> => (await client.listJobs({ limit: 100 })).jobs,
  });

/** Jobs that start labs, and have not come to their end. */
export const useComingJobs = () =>
  useQuery({
    queryKey: ['jobs', 'coming'],
    queryFn: async (): Promise<readonly Job[]> =>
      (await client.listJobs({ action: 'up', state: ['queued', 'running', 'canceling'] })).jobs,
  });

/** Topology files in a directory of the server, and below it; `dir` undefined is that of the server's settings. */
export const useTemplates = (dir: string | undefined, isWanted = true) =>
  useQuery({
    queryKey: ['templates', dir ?? null],
    queryFn: async ({ signal }) => {
      const query = { recursive: true, ...(dir !== undefined && { dir }) };
      return (await getFrom<TemplateList>('/templates', { query, signal })).templates;
    },
    enabled: isWanted,
    // Files come and go without a word.
    refetchOnMount: 'always',
  });

/** What the service says of itself: the form is made of it. */
export const useDescription = () =>
  useQuery({
    queryKey: ['openapi'],
    queryFn: async ({ signal }) => getFrom<OpenApiDocument>('/openapi.json', { signal }),
  });
