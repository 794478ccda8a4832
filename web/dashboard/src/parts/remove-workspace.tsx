import { Alert, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Workspace } from '../../../../src/client/api-types.ts';
import { fetchAgain, queryClient } from '../api/query-client.ts';
import { client } from '../api/service.ts';
import { sizeText } from './size-text.ts';
import { JobLink, LabLink } from './links.tsx';
import { Question } from './question.tsx';

interface Props {
  readonly workspace: Workspace;
  readonly onClose: () => void;
  readonly onRemoved?: () => void;
}

/** Why the workspace cannot be removed now. */
function InUse({ workspace: { lab, job } }: Pick<Props, 'workspace'>) {
  return (
    <Alert color="orange" variant="outline" title="The workspace is in use">
      {lab !== null && (
        <>
          The lab <LabLink id={lab} /> runs in it: stop the lab first.{' '}
        </>
      )}
      {job !== null && (
        <>
          A <JobLink id={job}>job</JobLink> uses it: wait until it has ended.
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
      await fetchAgain(['workspaces'], ['labs']);
    },
  });
  return (
    <Question
      title={`Remove the workspace ${name}?`}
      yes={`Remove ${name}`}
      isDangerous
      isBusy={remove.isPending}
      isDisabled={isUsed}
      error={remove.error}
      focus="no"
      onClose={onClose}
      onYes={() => remove.mutate()}
    >
      <Text size="sm">
        {files === 0
          ? 'The workspace is empty.'
          : `This deletes ${files === 1 ? 'its one file' : `all of its ${files} files`} (${sizeText(size)}).`}{' '}
        The records of its jobs stay.
      </Text>
      {isUsed && <InUse workspace={workspace} />}
    </Question>
  );
}
