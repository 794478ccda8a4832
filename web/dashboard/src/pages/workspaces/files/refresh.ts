import { queryClient } from '../../../api/query-client.ts';
import { tagged } from '../../../api/service.ts';
import { filePath } from '../paths.ts';

/** Asks again for what a changed file changes. */
export async function refreshFiles(workspace: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['workspace', workspace] }),
    queryClient.invalidateQueries({ queryKey: ['workspaces'] }),
  ]);
}

/** Writes a file that is not there yet, and gives its tag. @throws ServiceError with status 412 when it is. */
export async function writeNew(workspace: string, path: string, content: Blob): Promise<string> {
  const headers = { 'If-None-Match': '*', 'Content-Type': 'application/octet-stream' };
  return (await tagged('PUT', filePath(workspace, path), { stream: content, headers })).tag;
}
