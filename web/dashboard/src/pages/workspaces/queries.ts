/** The queries of these pages. No event reports changed files: they are fetched again when a page or its window is opened. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { TemplateList, Workspace, WorkspaceFileList } from '../../../../../src/client/api-types.ts';
import { getFrom, tagged } from '../../api/service.ts';
import { workspacePath, filePath } from './paths.ts';
import { fetchAgain } from '../../api/query-client.ts';

/** Fetches the data that a changed file affects. */
export async function refreshFiles(workspace: string): Promise<void> {
  await fetchAgain(['workspace', workspace], ['workspaces']);
}

/** Creates a file and returns its ETag. @throws ServiceError with status 412 when the file exists. */
export async function writeNew(workspace: string, path: string, content: Blob): Promise<string> {
  const headers = { 'If-None-Match': '*', 'Content-Type': 'application/octet-stream' };
  return (await tagged('PUT', filePath(workspace, path), { stream: content, headers })).tag;
}

const askedAnew = { refetchOnMount: 'always', refetchOnWindowFocus: 'always' } as const;

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

/** The templates of this server. */
export const templateList = queryOptions({
  queryKey: ['templates', 'devices'],
  queryFn: async () => getFrom<TemplateList>('/templates'),
});
