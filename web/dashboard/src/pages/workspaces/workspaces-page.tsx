import { Button, Group, Stack, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { Workspace } from '../../../../../src/client/api-types.ts';
import { useMayOperate, useWorkspaces } from '../../api/queries.ts';
import { Empty } from '../../parts/empty.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { NewWorkspace } from './new-workspace.tsx';
import { RemoveWorkspace } from '../../parts/remove-workspace.tsx';
import { Searched } from '../../parts/filters/searched.tsx';
import { DropArea } from './upload/drop-area.tsx';
import { UploadList } from './upload/upload-list.tsx';
import { WorkspaceTable } from './workspace-table.tsx';
import { Loading } from '../../parts/loading.tsx';

type Dialog =
  | { readonly kind: 'new'; readonly archive?: File | undefined }
  | { readonly kind: 'remove'; readonly workspace: Workspace };

function List({ onRemove, onNew }: { onRemove: (workspace: Workspace) => void; onNew: () => void }) {
  const mayOperate = useMayOperate();
  const { data, error, refetch } = useWorkspaces();
  if (data === undefined && error)
    return (
      <ProblemNotice error={error} title="The workspaces cannot be shown" onRetry={() => void refetch()} />
    );
  if (data === undefined) return <Loading h="30vh" />;
  if (data.length > 0)
    return (
      <Searched
        items={data}
        what="workspaces"
        placeholder="Name, owner, lab"
        wordsOf={({ name, owner, lab }) => [name, owner, lab]}
      >
        {(found) => <WorkspaceTable workspaces={found} onRemove={onRemove} />}
      </Searched>
    );
  return (
    <Empty title="No workspaces yet">
      A workspace is a directory on the lab server for the files of a lab: topology, configurations, scripts.
      {mayOperate && (
        <>
          {' '}
          Drop a .tar.gz or .zip here, or start with an empty workspace.
          <Group justify="center" mt="md">
            <Button onClick={onNew}>New workspace</Button>
          </Group>
        </>
      )}
    </Empty>
  );
}

export default function WorkspacesPage() {
  const mayOperate = useMayOperate();
  const known = useWorkspaces().data ?? [];
  const [dialog, setDialog] = useState<Dialog>();
  const close = (): void => setDialog(undefined);
  const begin = (archive?: File): void => setDialog({ kind: 'new', archive });
  return (
    <DropArea
      label="Drop a .tar.gz or .zip to create a workspace from it"
      onFiles={mayOperate ? ([file]) => begin(file) : undefined}
    >
      <Stack mih="70vh">
        <Group justify="space-between">
          <Title order={1} size="h2">
            Workspaces
          </Title>
          {mayOperate && known.length > 0 && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => begin()}>
              New workspace
            </Button>
          )}
        </Group>
        <UploadList />
        <List onNew={() => begin()} onRemove={(workspace) => setDialog({ kind: 'remove', workspace })} />
      </Stack>
      {dialog?.kind === 'new' && <NewWorkspace onClose={close} known={known} archive={dialog.archive} />}
      {dialog?.kind === 'remove' && <RemoveWorkspace workspace={dialog.workspace} onClose={close} />}
    </DropArea>
  );
}
