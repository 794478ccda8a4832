import { Alert, Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Workspace } from '../../../../../src/client/api-types.ts';
import { queryClient } from '../../api/query-client.ts';
import { client, labPath } from '../../api/service.ts';
import { sizeText } from '../../parts/size-text.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';

interface Props {
  readonly workspace: Workspace;
  readonly onClose: () => void;
  readonly onRemoved?: () => void;
}

/** Why it cannot be removed now: something is in it. */
function InUse({ workspace: { lab, job } }: Pick<Props, 'workspace'>) {
  return (
    <Alert color="orange" variant="outline" title="It is in use">
      {lab !== null && (
        <>
          The lab{' '}
          <Anchor component={Link} href={labPath(lab)} inherit>
            {lab}
          </Anchor>{' '}
          runs in it: take that down first.{' '}
        </>
      )}
      {job !== null && (
        <>
          A{' '}
          <Anchor component={Link} href={`/jobs/${job}`} inherit>
            job
          </Anchor>{' '}
          uses it: it has to end first.
        </>
      )}
    </Alert>
  );
}

export function RemoveWorkspace({ workspace, onClose, onRemoved }: Props) {
  const { name, files, size, lab, job } = workspace;
  const isUsed = lab !== null || job !== null;
  const remove = useMutation({
    mutationFn: async () => client.workspaces.remove(name),
    onSuccess: async () => {
      onClose();
      onRemoved?.();
      queryClient.removeQueries({ queryKey: ['workspace', name] });
      await queryClient.invalidateQueries({ queryKey: ['workspaces'] });
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Remove ${name}?`}>
      <Stack>
        <Text size="sm">
          {files === 0
            ? 'The workspace is empty.'
            : `${files === 1 ? 'Its one file' : `All of its ${files} files`} (${sizeText(size)}) will be gone for good.`}{' '}
          The records of its jobs stay.
        </Text>
        {isUsed && <InUse workspace={workspace} />}
        {remove.isError && <ProblemNotice error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" disabled={isUsed} loading={remove.isPending} onClick={() => remove.mutate()}>
            Remove {name}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
