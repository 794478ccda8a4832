import { Group, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DiskUse } from '../../../../../src/client/api-types.ts';
import { useHosts, useIsCluster } from '../../api/queries.ts';
import { client } from '../../api/service.ts';
import { ForAdministrators } from '../../parts/for-administrators.tsx';
import { Loading } from '../../parts/loading.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Age } from '../../parts/time.tsx';
import { FileSystems } from './file-systems.tsx';
import { Kinds } from './kinds.tsx';
import { LargestJobs, LargestWorkspaces, Users } from './disk-tables.tsx';

/** No event reports the sizes: they are fetched again when the page or its window is opened. */
const useDiskUse = (host: string | undefined) =>
  useQuery({
    queryKey: ['disk', host],
    queryFn: async () => client.diskUse({ host }),
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
  });

/** The host of a cluster whose disk is shown. */
function HostChoice({ onChange }: { readonly onChange: (host: string) => void }) {
  const hosts = useHosts().data ?? [];
  const own = hosts.find(({ isThis }) => isThis)?.name;
  const [chosen, setChosen] = useState<string>();
  return (
    <Select
      aria-label="Host"
      data={hosts.map(({ name }) => name)}
      value={chosen ?? own ?? null}
      allowDeselect={false}
      onChange={(name) => {
        if (name === null) return;
        setChosen(name);
        onChange(name);
      }}
    />
  );
}

function Unmeasured({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <Text size="sm" role="status">
      {count === 1
        ? '1 workspace is not measured yet, and counts as empty.'
        : `${count} workspaces are not measured yet, and count as empty.`}
    </Text>
  );
}

function Measured({ use }: { readonly use: DiskUse }) {
  return (
    <>
      <Unmeasured count={use.unmeasuredWorkspaces} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <FileSystems fileSystems={use.fileSystems} />
        <Kinds kinds={use.kinds} />
        <LargestWorkspaces workspaces={use.largestWorkspaces} />
        <LargestJobs jobs={use.largestJobs} />
        <Users users={use.users} />
      </SimpleGrid>
      <Text size="xs" c="dimmed">
        Images and other files were measured <Age at={use.measuredAt} />.
      </Text>
    </>
  );
}

function Disk() {
  const isCluster = useIsCluster();
  const [host, setHost] = useState<string>();
  const { data: use, error, refetch } = useDiskUse(host);
  return (
    <Stack mih="70vh">
      <Group justify="space-between">
        <Title order={1} size="h2">
          Disk
        </Title>
        {isCluster && <HostChoice onChange={setHost} />}
      </Group>
      {error && (
        <ProblemNotice
          error={error}
          title={use ? 'The sizes may be outdated' : 'The use of the disk cannot be shown'}
          onRetry={() => void refetch()}
        />
      )}
      {use === undefined && !error && <Loading h="30vh" />}
      {use && <Measured use={use} />}
    </Stack>
  );
}

/** The use of the disk, for administrators. */
export default function DiskPage() {
  return (
    <ForAdministrators
      title="Only administrators see the use of the disk"
      words="Ask an administrator of this server."
    >
      <Disk />
    </ForAdministrators>
  );
}
