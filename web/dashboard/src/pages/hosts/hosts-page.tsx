import { Center, Loader, Stack, Text, Title, Button, Group, Modal } from '@mantine/core';
import { useState } from 'react';
import type { Host } from '../../../../../src/client/api-types.ts';
import { useHosts, useService } from '../../api/queries.ts';
import { Empty } from '../../parts/empty.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { HostTable } from './host-table.tsx';
import { useMutation } from '@tanstack/react-query';
import { queryClient } from '../../api/query-client.ts';
import { client } from '../../api/service.ts';

function ForgetHost({ host: { id, name }, onClose }: { host: Host; onClose: () => void }) {
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

function Hosts() {
  const { data: hosts, error, refetch } = useHosts();
  const [forgotten, setForgotten] = useState<Host>();
  return (
    <Stack mih="70vh">
      <Title order={1} size="h2">
        Hosts
      </Title>
      {hosts === undefined && error && (
        <ProblemNotice error={error} title="The hosts cannot be shown" onRetry={() => void refetch()} />
      )}
      {hosts === undefined && !error && (
        <Center h="30vh">
          <Loader aria-label="Loading" />
        </Center>
      )}
      {hosts?.some(({ stale }) => stale) === true && (
        <Text size="sm" role="status">
          Redis does not answer: what is said of the other hosts is how they were, and they may be away by
          now.
        </Text>
      )}
      {hosts && <HostTable hosts={hosts} onForget={setForgotten} />}
      {forgotten && <ForgetHost host={forgotten} onClose={() => setForgotten(undefined)} />}
    </Stack>
  );
}

/** The lab servers of the cluster: what each of them does, and what is wrong with one. */
export default function HostsPage() {
  const { data: service, isPending } = useService();
  if (isPending) return null;
  if (service?.host !== null) return <Hosts />;
  return (
    <Empty isPage title="This service works alone">
      Several lab servers become one with LAB_API_REDIS_URL.
    </Empty>
  );
}
