/** The topology file of the dialog, and whether this server can run it. */
import type { Template, Workspace } from '../../../../../../src/client/api-types.ts';
import type { StartSource } from '../../../parts/start-link.ts';
import { useWorkspaces } from '../../../api/queries.ts';
import { useTemplates } from '../queries.ts';

export interface FoundTopology {
  /** The files to choose from: one for a template, all of a workspace. */
  readonly files: readonly Template[];
  readonly chosen: Template | undefined;
  readonly workspace: Workspace | undefined;
  readonly isPending: boolean;
  readonly error: Error | null;
  /** Why there is nothing to start; undefined when there is, or while that is unknown. */
  readonly missing: string | undefined;
}

const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

/** The topology file of the source, or the only file of a workspace that can be started. */
function chosenOf(files: readonly Template[], source: StartSource): Template | undefined {
  if (source.kind === 'template') return files.find(({ topologyPath }) => topologyPath === source.path);
  if (source.kind !== 'workspace') return undefined;
  if (source.file !== undefined) return files.find(({ path }) => path === source.file);
  const startable = files.filter(({ runnable }) => runnable);
  return startable.length === 1 ? startable[0] : files.length === 1 ? files[0] : undefined;
}

function missingOf(
  source: StartSource,
  workspace: Workspace | undefined,
  files: readonly Template[],
): string | undefined {
  if (source.kind === 'template' && chosenOf(files, source) === undefined)
    return `There is no topology file ${source.path} on this server.`;
  if (source.kind !== 'workspace') return undefined;
  if (workspace === undefined) return `There is no workspace ${source.name}.`;
  if (files.length === 0) return `There is no topology file in the workspace ${source.name}.`;
  if (source.file !== undefined && chosenOf(files, source) === undefined)
    return `There is no topology file ${source.file} in the workspace ${source.name}.`;
  return undefined;
}

export function useTopology(source: StartSource): FoundTopology {
  const workspaces = useWorkspaces();
  const workspace =
    source.kind === 'workspace' ? workspaces.data?.find(({ name }) => name === source.name) : undefined;
  const dir = source.kind === 'template' ? directoryOf(source.path) : workspace?.workdir;
  const templates = useTemplates(dir, dir !== undefined);
  // Without a directory, the cache may have the files of the default directory.
  const files = (dir !== undefined && templates.data) || [];
  const isPending =
    // The list may be older than the workspace.
    (source.kind === 'workspace' && workspace === undefined && workspaces.isFetching) ||
    (dir !== undefined && templates.isPending);
  const error = (source.kind === 'workspace' ? workspaces.error : null) ?? templates.error;
  return {
    files,
    chosen: chosenOf(files, source),
    workspace,
    isPending,
    error,
    missing: isPending || error ? undefined : missingOf(source, workspace, files),
  };
}

/** The directory of the template. */
export const besideOf = (source: StartSource): string | undefined =>
  source.kind === 'template' ? directoryOf(source.path) : undefined;
