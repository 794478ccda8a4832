/** The queries of the labs page, besides the labs. live.ts refreshes all keys that begin with `jobs`. */
import { useQuery } from '@tanstack/react-query';
import type { Job, TemplateList } from '../../../../../src/client/api-types.ts';
import { client, getFrom } from '../../api/service.ts';

/** The newest jobs of all actions: they include the last job of most labs. */
export const useRecentJobs = () =>
  useQuery({
    queryKey: ['jobs', 'newest'],
    queryFn: async (): Promise<readonly Job[]> => (await client.listJobs({ limit: 100 })).jobs,
  });

/** Unfinished jobs that start labs. */
export const useComingJobs = () =>
  useQuery({
    queryKey: ['jobs', 'coming'],
    queryFn: async (): Promise<readonly Job[]> =>
      (await client.listJobs({ action: 'up', state: ['queued', 'running', 'canceling'] })).jobs,
  });

/** Topology files in a directory of the server and below it; without `dir`, in the directory of the settings. */
export const useTemplates = (dir: string | undefined, isWanted = true) =>
  useQuery({
    queryKey: ['templates', dir ?? null],
    queryFn: async ({ signal }) => {
      const query = { recursive: true, ...(dir !== undefined && { dir }) };
      return (await getFrom<TemplateList>('/templates', { query, signal })).templates;
    },
    enabled: isWanted,
    // No event reports changed files.
    refetchOnMount: 'always',
  });

/** The names of the files in a workspace, not of those in its directories. */
export const useFileNames = (workspace: string, isWanted: boolean) =>
  useQuery({
    queryKey: ['workspace', workspace, 'names'],
    queryFn: async () => (await client.workspaces.files(workspace)).map(({ path }) => path),
    enabled: isWanted,
    refetchOnMount: 'always',
  });

/** The text of a topology file in a workspace. */
export const useFileText = (workspace: string, path: string) =>
  useQuery({
    queryKey: ['workspace', workspace, 'text', path],
    queryFn: async () => (await client.workspaces.readFile(workspace, path)).text(),
    refetchOnMount: 'always',
  });
