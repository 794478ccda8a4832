import {
  Alert,
  Loader,
  Paper,
  SimpleGrid,
  Stack,
  Group,
  Text,
  Button,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { Lab, Job } from '../../../../../src/client/api-types.ts';
import { hasEnded } from '../../../../../src/client/lab-api-client.ts';
import { ServiceError } from '../../../../../src/client/service-error.ts';
import { progress } from '../../api/live.ts';
import { instanceOf, labIdOf } from '../../api/lab-id.ts';
import { useLab, useMayOperate, useNewestJobs, useStoppedLabs } from '../../api/queries.ts';
import { useStore } from '../../api/store.ts';
import { Empty } from '../../parts/empty.tsx';
import { labText } from '../../parts/lab-title.ts';
import { JobLink } from '../../parts/links.tsx';
import { Loading } from '../../parts/loading.tsx';
import { NewestJobs, type JobColumn } from '../../parts/newest-jobs.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { StartAgain, StoppedMenu } from '../../parts/start-again.tsx';
import { RunTime } from '../../parts/time.tsx';
import { LabHead } from './lab-head.tsx';
import { jobsOf } from './lab-queries.ts';
import { RunPanel } from './many/run-panel.tsx';
import { Stage, useOpenNode } from './stage.tsx';
import { LabTests } from './tables/lab-tests.tsx';
import { NodesTable } from './tables/nodes-table.tsx';

/** The lab does not exist: it was stopped, is about to start, or never existed. */
function NotThere({ id }: { readonly id: string }) {
  const { data: jobs } = useNewestJobs(instanceOf(id));
  const stopped = useStoppedLabs();
  const mayOperate = useMayOperate();
  const running = runningOf(jobs);
  if (jobs === undefined) return <Loading />;
  if (running?.action === 'up' || running?.action === 'restart')
    return (
      <Stack>
        <Title order={1} size="h3">
          {id}
        </Title>
        <Paper withBorder p="md">
          <RunningJob job={running} />
        </Paper>
        <Text c="dimmed">The lab is starting: its picture appears as soon as it is computed.</Text>
      </Stack>
    );
  const [last] = jobs;
  const name = last ? labText({ ...last, id, name: null }) : id;
  const lab = stopped.data?.find((one) => labIdOf(one) === id);
  return (
    <Stack maw={900} mx="auto">
      <VisuallyHidden component="h1">Lab {name}</VisuallyHidden>
      <Empty title={last ? `Lab ${name} is not running` : `Lab ${name} not found`}>
        {last
          ? 'It was stopped or did not start. Its last jobs show the reason.'
          : 'No lab of this name is running, and there is no job that started one.'}
        <Group justify="center" mt="md">
          {lab?.mayStart && mayOperate && (
            <Group gap="xs" wrap="nowrap">
              <StartAgain lab={lab} size="sm" />
              <StoppedMenu lab={lab} />
            </Group>
          )}
          <Button component={Link} href="/" variant="default">
            To the labs
          </Button>
        </Group>
      </Empty>
      {last && <LabJobs id={id} workdir={last.workdir} />}
    </Stack>
  );
}

const jobColumns: readonly JobColumn[] = [
  { name: 'Duration', cell: (job) => <RunTime job={job} />, visibleFrom: 'xs' },
];

function LabJobs({ id, workdir }: Pick<Lab, 'id' | 'workdir'>) {
  const query = new URLSearchParams({ instance: id, ...(workdir !== null && { workdir }) });
  return (
    <NewestJobs
      title="Jobs"
      filter={jobsOf({ id, workdir })}
      more={jobColumns}
      none="No jobs: this lab was not started by this service."
      all={{ label: 'All jobs of this lab', href: `/jobs?${query.toString()}` }}
    />
  );
}

/** The unfinished job of a lab. */
const runningOf = (jobs: readonly Job[] | undefined): Job | undefined =>
  jobs?.find(({ state }) => !hasEnded(state));

/** The running job of the lab with its latest progress, and a link to its log. */
function RunningJob({ job }: { readonly job: Job }) {
  const message = useStore(progress).get(job.id) ?? job.progress?.message;
  return (
    <Group gap="sm" wrap="nowrap" role="status">
      <Loader size={16} aria-hidden />
      <JobLink id={job.id} inherit={false} size="sm" fw={600} style={{ whiteSpace: 'nowrap' }}>
        {job.action}
      </JobLink>
      <StateBadge state={job.state} />
      <Text size="sm" c="dimmed" truncate>
        {message}
      </Text>
    </Group>
  );
}

function LabView({ lab }: { readonly lab: Lab }) {
  const opened = useOpenNode();
  const running = runningOf(useNewestJobs(jobsOf(lab)).data);
  return (
    <Stack gap="md">
      <LabHead lab={lab} />
      {running && (
        <Paper withBorder px="md" py="xs">
          <RunningJob job={running} />
        </Paper>
      )}
      {lab.problem !== null && (
        <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title="This lab has a problem">
          {lab.problem}
        </Alert>
      )}
      <Stage lab={lab} opened={opened} />
      <NodesTable nodes={lab.nodes} faults={lab.faults} chosen={opened.node} onOpen={opened.open} />
      <RunPanel lab={lab} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" verticalSpacing="md">
        <LabJobs id={lab.id} workdir={lab.workdir} />
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
  return <Loading />;
}
