import { Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Host } from '../../../../../src/client/api-types.ts';
import { useHosts, useService } from '../../api/queries.ts';
import { fetchAgain } from '../../api/query-client.ts';
import { client } from '../../api/service.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loading } from '../../parts/loading.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Question } from '../../parts/question.tsx';
import { HostTable } from './host-table.tsx';

function ForgetHost({ host: { id, name }, onClose }: { host: Host; onClose: () => void }) {
  const forget = useMutation({
    mutationFn: async () => client.request('DELETE', `/hosts/${id}`),
    onSuccess: async () => {
      onClose();
      await fetchAgain(['hosts']);
    },
  });
  return (
    <Question
      title={`Forget ${name}?`}
      yes={`Forget ${name}`}
      isDangerous
      isBusy={forget.isPending}
      error={forget.error}
      focus="no"
      onClose={onClose}
      onYes={() => forget.mutate()}
    >
      <Text size="sm">
        Other hosts can use its directories and workspaces then, and its jobs are not listed any more. If it
        comes back, it joins with all its data.
      </Text>
    </Question>
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
      {hosts === undefined && !error && <Loading h="30vh" />}
      {hosts?.some(({ stale }) => stale) === true && (
        <Text size="sm" role="status">
          Redis does not answer: the state of the other hosts is old, and they may be unreachable now.
        </Text>
      )}
      {hosts && <HostTable hosts={hosts} onForget={setForgotten} />}
      {forgotten && <ForgetHost host={forgotten} onClose={() => setForgotten(undefined)} />}
    </Stack>
  );
}

/** The lab servers of the cluster with their load and problems. */
export default function HostsPage() {
  const { data: service, isPending } = useService();
  if (isPending) return null;
  if (service?.host !== null) return <Hosts />;
  return (
    <Empty isPage title="This server is not in a cluster">
      Set LAB_API_REDIS_URL to join several lab servers to a cluster.
    </Empty>
  );
}
