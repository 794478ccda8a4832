/** What these pages ask. Nobody tells of files that are changed: whoever comes to a page, or back to its window, asks anew. */
import { useQuery } from '@tanstack/react-query';
import type { Workspace, WorkspaceFileList } from '../../../../../src/client/api-types.ts';
import { client, getFrom } from '../../api/service.ts';
import { workspacePath } from './paths.ts';

const askedAnew = { refetchOnMount: 'always', refetchOnWindowFocus: 'always' } as const;

export const useWorkspaces = () =>
  useQuery({
    queryKey: ['workspaces'],
    queryFn: async () => client.workspaces.list(),
    ...askedAnew,
  });

export const useWorkspace = (name: string) =>
  useQuery({
    queryKey: ['workspace', name],
    queryFn: async ({ signal }) => getFrom<Workspace>(workspacePath(name), { signal }),
    ...askedAnew,
  });

export const useFiles = (name: string) =>
  useQuery({
    queryKey: ['workspace', name, 'files'],
    queryFn: async ({ signal }) =>
      getFrom<WorkspaceFileList>(`${workspacePath(name)}/files`, { signal, query: { recursive: true } }),
    ...askedAnew,
  });

/** The newest jobs of a workspace. */
export const useJobsIn = (workspace: string) =>
  useQuery({
    queryKey: ['jobs', { workspace, limit: 10 }],
    queryFn: async () => (await client.listJobs({ workspace, limit: 10 })).jobs,
  });
