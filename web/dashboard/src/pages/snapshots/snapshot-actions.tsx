import { Button, Group, Text } from '@mantine/core';
import { IconDownload, IconGitCompare, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Snapshot } from '../../../../../src/client/api-types.ts';
import { useMay } from '../../api/queries.ts';
import { fetchAgain } from '../../api/query-client.ts';
import { addressOf, client } from '../../api/service.ts';
import { MenuEntry, MoreMenu } from '../../parts/menu.tsx';
import { Question } from '../../parts/question.tsx';
import { sizeText } from '../../parts/size-text.ts';
import { CompareDialog } from './compare-dialog.tsx';
import { RestoreDialog } from './restore-dialog.tsx';

interface Props {
  readonly snapshot: Snapshot;
  readonly onRemoved?: () => void;
}

function RemoveDialog({ snapshot, onRemoved, onClose }: Props & { readonly onClose: () => void }) {
  const { name, files, nodes, size, host } = snapshot;
  const kept = nodes.filter((node) => node.kept === 'configuration').length;
  const remove = useMutation({
    mutationFn: async () => client.snapshots.remove(name, { host: host ?? undefined }),
    onSuccess: async () => {
      onClose();
      onRemoved?.();
      await fetchAgain(['snapshots']);
    },
  });
  return (
    <Question
      title={`Remove the snapshot ${name}?`}
      yes={`Remove ${name}`}
      isDangerous
      isBusy={remove.isPending}
      error={remove.error}
      focus="no"
      onClose={onClose}
      onYes={() => remove.mutate()}
    >
      <Text size="sm">
        This deletes {files === 1 ? 'its one file' : `all of its ${files} files`} ({sizeText(size)}), with the
        configurations of {kept === 1 ? 'one node' : `${kept} nodes`}. Labs and workspaces that were made of
        it stay.
      </Text>
    </Question>
  );
}

const dialogs = { restore: RestoreDialog, compare: CompareDialog, remove: RemoveDialog } as const;

type Asked = keyof typeof dialogs;

function downloadOf({ name, host }: Snapshot): string {
  const query = host === null ? '' : `?host=${encodeURIComponent(host)}`;
  return addressOf(`/snapshots/${encodeURIComponent(name)}/files${query}`);
}

/** Starts, compares, downloads and removes a snapshot. Nothing for users who may only read it. `isCompact` puts all behind one button. */
export function SnapshotActions({
  snapshot,
  onRemoved,
  isCompact = false,
}: Props & { readonly isCompact?: boolean }) {
  const [asked, ask] = useState<Asked>();
  const may = useMay(snapshot);
  if (!may('restoreSnapshot') && !may('removeSnapshot')) return null;
  const Dialog = asked && dialogs[asked];
  return (
    <>
      <Group gap="xs" wrap="nowrap" justify="flex-end">
        {!isCompact && may('restoreSnapshot') && (
          <>
            <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={() => ask('restore')}>
              Start a lab
            </Button>
            <Button
              variant="default"
              leftSection={<IconGitCompare size={16} aria-hidden />}
              onClick={() => ask('compare')}
            >
              Compare
            </Button>
          </>
        )}
        <MoreMenu label={`Actions of ${snapshot.name}`} {...(!isCompact && { variant: 'default', size: 36 })}>
          {isCompact && may('restoreSnapshot') && (
            <>
              <MenuEntry Icon={IconPlayerPlay} onClick={() => ask('restore')}>
                Start a lab…
              </MenuEntry>
              <MenuEntry Icon={IconGitCompare} onClick={() => ask('compare')}>
                Compare…
              </MenuEntry>
            </>
          )}
          {may('downloadSnapshot') && (
            <MenuEntry Icon={IconDownload} href={downloadOf(snapshot)} download={`${snapshot.name}.tar.gz`}>
              Download .tar.gz
            </MenuEntry>
          )}
          {may('removeSnapshot') && (
            <MenuEntry Icon={IconTrash} isDangerous onClick={() => ask('remove')}>
              Remove…
            </MenuEntry>
          )}
        </MoreMenu>
      </Group>
      {Dialog && (
        <Dialog snapshot={snapshot} onClose={() => ask(undefined)} {...(onRemoved && { onRemoved })} />
      )}
    </>
  );
}
