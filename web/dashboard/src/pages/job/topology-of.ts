/** The topology of a job that failed, for users who mend it. */
import type { Job } from '../../../../../src/client/api-types.ts';

type Told = Pick<Job, 'action' | 'state' | 'workspace' | 'request'>;

export type EditableTopology =
  /** It came with the request, or the service fetched it. */
  | { readonly kind: 'own' }
  /** The page of its workspace, with the file. */
  | { readonly kind: 'file'; readonly href: string };

/** Undefined when there is nothing to mend on the page: the job did not fail, or read a file elsewhere on the server. */
export function editableTopology({ action, state, workspace, request }: Told): EditableTopology | undefined {
  if (state !== 'failed' || !['up', 'create'].includes(action)) return undefined;
  if (request.topology !== undefined || request.topologyUrl !== undefined) return { kind: 'own' };
  const { topologyPath: file, workdir } = request;
  // A path counts from the working directory.
  if (workspace === null || workdir !== undefined || file?.startsWith('/') === true) return undefined;
  const query = file === undefined ? '' : `?${new URLSearchParams({ file }).toString()}`;
  return { kind: 'file', href: `/workspaces/${encodeURIComponent(workspace)}${query}` };
}
