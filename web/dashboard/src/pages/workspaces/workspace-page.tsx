import { Anchor, Stack } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import type { Job, Workspace, WorkspaceFile } from '../../../../../src/client/api-types.ts';
import { ServiceError } from '../../../../../src/client/service-error.ts';
import { useArtifacts } from '../../api/queries.ts';
import { addressOf } from '../../api/service.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loading } from '../../parts/loading.tsx';
import { NewestJobs, type JobColumn } from '../../parts/newest-jobs.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { FileView } from './editor/file-view.tsx';
import { FilesPanel } from './files/files-panel.tsx';
import { LeaveQuestion } from './leave-question.tsx';
import { NewWorkspace } from './new-workspace.tsx';
import { pageOf } from './paths.ts';
import { useFiles, useWorkspace } from './queries.ts';
import { RemoveWorkspace } from '../../parts/remove-workspace.tsx';
import { UploadList } from './upload/upload-list.tsx';
import { useView } from './use-view.ts';
import { WorkspaceHeader } from './workspace-header.tsx';
import classes from './workspaces.module.css';

/** The files that are opened first. */
const firstChoices = ['topology.yml', 'topology.yaml', 'netlab/topology.yml', 'netlab/topology.yaml'];

function firstFile(files: readonly WorkspaceFile[]): string | undefined {
  return firstChoices.find((path) => files.some((file) => file.path === path));
}

function Missing({ name, error, onRetry }: { name: string; error: unknown; onRetry: () => void }) {
  if (!(error instanceof ServiceError) || error.status !== 404)
    return <ProblemNotice error={error} title="The workspace cannot be shown" onRetry={onRetry} />;
  return (
    <Empty title={`Workspace ${name} not found`}>
      <Anchor component={Link} href="/workspaces">
        To the workspaces
      </Anchor>
    </Empty>
  );
}

function Files({
  name,
  selected,
  onSelect,
}: {
  readonly name: string;
  readonly selected: string | undefined;
  readonly onSelect: (path: string | undefined) => void;
}) {
  const { data, error, refetch } = useFiles(name);
  const [view] = useView();
  if (data === undefined && error)
    return <ProblemNotice error={error} title="The files cannot be shown" onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading h={200} />;
  const file = data.files.find(({ path }) => path === selected);
  // A drawing needs the room of the list, which comes back with the text.
  const isWide = selected !== undefined && view !== 'text';
  return (
    <div className={classes['columns']} data-wide={isWide || undefined}>
      <FilesPanel
        workspace={name}
        files={data.files}
        isCut={data.truncated}
        selected={selected}
        onSelect={onSelect}
      />
      <div className={classes['file']}>
        {selected === undefined ? (
          <Empty title={data.files.length === 0 ? 'The workspace is empty' : 'No file is open'}>
            {data.files.length === 0
              ? 'Drop files on the list of files, or create a topology.yml: the editor has hints for it.'
              : 'Choose a file in the list.'}
          </Empty>
        ) : (
          <FileView key={selected} workspace={name} path={selected} kind={file?.kind} />
        )}
      </div>
    </div>
  );
}

/** Downloads the artifacts of a job as an archive; nothing without artifacts. */
function Artifacts({ job: { id, finishedAt } }: { readonly job: Job }) {
  const count = useArtifacts(id, finishedAt !== null).data?.artifacts.length ?? 0;
  if (count === 0) return null;
  const words = count === 1 ? '1 artifact' : `${count} artifacts`;
  return (
    <Anchor
      href={addressOf(`/jobs/${id}/artifacts?format=tar.gz`)}
      download={`${id}.tar.gz`}
      size="sm"
      aria-label={`Download ${words} of ${id}`}
    >
      {words}
    </Anchor>
  );
}

const jobColumns: readonly JobColumn[] = [
  { name: 'User', cell: ({ requestedBy }) => requestedBy ?? '–', visibleFrom: 'xs' },
  { name: 'Artifacts', cell: (job) => <Artifacts job={job} />, visibleFrom: 'xs' },
];

function JobsIn({ workspace }: { readonly workspace: string }) {
  return (
    <NewestJobs
      title="Jobs in this workspace"
      filter={{ workspace }}
      more={jobColumns}
      none="No jobs yet."
      all={{ label: 'All jobs', href: `/jobs?workspace=${encodeURIComponent(workspace)}` }}
    />
  );
}

function Content({ workspace }: { readonly workspace: Workspace }) {
  const { name } = workspace;
  const [, navigate] = useLocation();
  const [query] = useSearchParams();
  const files = useFiles(name).data?.files ?? [];
  const [dialog, setDialog] = useState<'replace' | 'remove'>();
  const selected = query.get('file') ?? firstFile(files);
  const close = (): void => setDialog(undefined);
  return (
    <Stack>
      <WorkspaceHeader
        workspace={workspace}
        file={selected}
        onReplace={() => setDialog('replace')}
        onRemove={() => setDialog('remove')}
      />
      <UploadList workspace={name} />
      <Files name={name} selected={selected} onSelect={(path) => navigate(pageOf(name, path))} />
      <JobsIn workspace={name} />
      {dialog === 'replace' && <NewWorkspace target={name} known={[workspace]} onClose={close} />}
      {dialog === 'remove' && (
        <RemoveWorkspace workspace={workspace} onClose={close} onRemoved={() => navigate('/workspaces')} />
      )}
      <LeaveQuestion workspace={name} />
    </Stack>
  );
}

export default function WorkspacePage({ name }: { readonly name: string }) {
  const { data, error, refetch } = useWorkspace(name);
  // A removed workspace is not shown from the cache.
  const isGone = error instanceof ServiceError && error.status === 404;
  if (error && (data === undefined || isGone))
    return <Missing name={name} error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  return <Content workspace={data} />;
}
