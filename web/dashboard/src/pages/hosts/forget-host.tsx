import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Host } from '../../../../../src/client/api-types.ts';
import { queryClient } from '../../api/query-client.ts';
import { client } from '../../api/service.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';

interface Props {
  readonly host: Host;
  readonly onClose: () => void;
}

export function ForgetHost({ host: { id, name }, onClose }: Props) {
  const forget = useMutation({
    mutationFn: async () => client.request('DELETE', `/hosts/${id}`),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries({ queryKey: ['hosts'] });
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Forget ${name}?`}>
      <Stack>
        <Text size="sm">
          Its directories and workspaces are free for other hosts then, and its jobs are listed no more.
          Should it come back after all, it joins with all that it has.
        </Text>
        {forget.isError && <ProblemNotice error={forget.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={forget.isPending} onClick={() => forget.mutate()}>
            Forget {name}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
