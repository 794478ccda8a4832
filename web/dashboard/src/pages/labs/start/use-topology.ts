/** The topology file of the dialog, and whether this server can run it. */
import type { Template, Workspace } from '../../../../../../src/client/api-types.ts';
import type { StartSource } from '../../../parts/start-link.ts';
import { useWorkspaces } from '../../../api/queries.ts';
import { useFileNames, useTemplates } from '../queries.ts';

/** The file in which a lab CLI keeps the last lab of a directory, with the options of its start. */
const snapshots: Readonly<Record<string, string>> = {
  'netlab.snapshot.pickle': 'netlab',
  'lab.snapshot.json': 'engine',
};

export interface FoundTopology {
  /** The files to choose from: one for a template, all of a workspace. */
  readonly files: readonly Template[];
  readonly chosen: Template | undefined;
  readonly workspace: Workspace | undefined;
  /** The lab CLI that has kept the last lab of a workspace without a topology, and can start it again; undefined if none has. */
  readonly keptBy: string | undefined;
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
  const isOpen = source.kind === 'workspace' && source.file === undefined && workspace !== undefined;
  const mayBeKept = isOpen && templates.isSuccess && !files.some(({ runnable }) => runnable);
  const names = useFileNames(workspace?.name ?? '', mayBeKept);
  const kept = mayBeKept ? names.data?.find((name) => snapshots[name] !== undefined) : undefined;
  const keptBy = kept === undefined ? undefined : snapshots[kept];
  const isPending =
    // The list may be older than the workspace.
    (source.kind === 'workspace' && workspace === undefined && workspaces.isFetching) ||
    (dir !== undefined && templates.isPending) ||
    (mayBeKept && names.isPending);
  const error = (source.kind === 'workspace' ? workspaces.error : null) ?? templates.error;
  return {
    files,
    chosen: chosenOf(files, source),
    workspace,
    keptBy,
    isPending,
    error,
    missing: isPending || error || keptBy !== undefined ? undefined : missingOf(source, workspace, files),
  };
}

/** The directory of the template. */
export const besideOf = (source: StartSource): string | undefined =>
  source.kind === 'template' ? directoryOf(source.path) : undefined;
