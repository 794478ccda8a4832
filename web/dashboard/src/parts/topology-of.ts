/** The topology of a job, for users who edit it. */
import type { Job } from '../../../../src/client/api-types.ts';

type Told = Pick<Job, 'action' | 'workspace' | 'request'>;

export type EditableTopology =
  /** It came with the request, or the service fetched it. */
  | { readonly kind: 'own' }
  /** The page of its workspace, with the file. */
  | { readonly kind: 'file'; readonly href: string };

/** Undefined when there is nothing to edit on the page: the job read no topology, or a file elsewhere on the server. */
export function editableTopology({ action, workspace, request }: Told): EditableTopology | undefined {
  if (!['up', 'create'].includes(action)) return undefined;
  if (request.topology !== undefined || request.topologyUrl !== undefined) return { kind: 'own' };
  const { topologyPath: file, workdir } = request;
  // A path counts from the working directory.
  if (workspace === null || workdir !== undefined || file?.startsWith('/') === true) return undefined;
  const query = file === undefined ? '' : `?${new URLSearchParams({ file }).toString()}`;
  return { kind: 'file', href: `/workspaces/${encodeURIComponent(workspace)}${query}` };
}
