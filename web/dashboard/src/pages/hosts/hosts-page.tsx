import { Center, Loader, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { Host } from '../../../../../src/client/api-types.ts';
import { useHosts, useService } from '../../api/queries.ts';
import { Empty } from '../../parts/empty.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { ForgetHost } from './forget-host.tsx';
import { HostTable } from './host-table.tsx';

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
