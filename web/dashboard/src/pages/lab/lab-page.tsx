import { Alert, Center, Loader, Paper, SimpleGrid, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Lab } from '../../../../../src/client/api-types.ts';
import { ServiceError } from '../../../../../src/client/service-error.ts';
import { useLab } from '../../api/queries.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { LabHead } from './lab-head.tsx';
import { useJobsOf } from './lab-queries.ts';
import { NotThere } from './not-there.tsx';
import { RunningJob, runningOf } from './running-job.tsx';
import { Stage } from './stage.tsx';
import { LabJobs } from './tables/lab-jobs.tsx';
import { LabTests } from './tables/lab-tests.tsx';
import { NodesTable } from './tables/nodes-table.tsx';
import { useOpenNode } from './use-open-node.ts';

function LabView({ lab }: { readonly lab: Lab }) {
  const opened = useOpenNode();
  const running = runningOf(useJobsOf(lab.id).data);
  return (
    <Stack gap="md">
      <LabHead lab={lab} />
      {running && (
        <Paper withBorder px="md" py="xs">
          <RunningJob job={running} />
        </Paper>
      )}
      {lab.problem !== null && (
        <Alert
          color="orange"
          icon={<IconAlertTriangle aria-hidden />}
          title="The lab CLI cannot tell its nodes"
        >
          {lab.problem}
        </Alert>
      )}
      <Stage lab={lab} opened={opened} />
      <NodesTable nodes={lab.nodes} chosen={opened.node} onOpen={opened.open} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" verticalSpacing="md">
        <LabJobs id={lab.id} />
        <LabTests lab={lab} />
      </SimpleGrid>
    </Stack>
  );
}

export default function LabPage({ id }: { readonly id: string }) {
  const { data: lab, error, refetch } = useLab(id);
  if (error instanceof ServiceError && error.code === 'instance-not-found') return <NotThere id={id} />;
  if (lab) return <LabView lab={lab} />;
  if (error)
    return <ProblemNotice error={error} title="This lab cannot be shown" onRetry={() => void refetch()} />;
  return (
    <Center h="50vh">
      <Loader aria-label="Loading" />
    </Center>
  );
}
