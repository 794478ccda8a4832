import { Button, Center, Group, Loader, Paper, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { Link } from 'wouter';
import { Empty } from '../../parts/empty.tsx';
import { useJobsOf } from './lab-queries.ts';
import { RunningJob, runningOf } from './running-job.tsx';
import { LabJobs } from './tables/lab-jobs.tsx';

/** The lab CLI knows no such lab: it was taken down, is about to come, or never was. */
export function NotThere({ id }: { readonly id: string }) {
  const { data: jobs } = useJobsOf(id);
  const running = runningOf(jobs);
  if (jobs === undefined)
    return (
      <Center h="50vh">
        <Loader aria-label="Loading" />
      </Center>
    );
  if (running?.action === 'up' || running?.action === 'restart')
    return (
      <Stack>
        <Title order={1} size="h3">
          {id}
        </Title>
        <Paper withBorder p="md">
          <RunningJob job={running} />
        </Paper>
        <Text c="dimmed">The lab is being started: its picture comes as soon as it is computed.</Text>
      </Stack>
    );
  const wasThere = jobs.length > 0;
  return (
    <Stack maw={900} mx="auto">
      <VisuallyHidden component="h1">Lab {id}</VisuallyHidden>
      <Empty title={wasThere ? `Lab ${id} is gone` : `There is no lab ${id}`}>
        {wasThere
          ? 'It was taken down, or never came up. Its last jobs tell how it ended.'
          : 'Nothing runs under this name, and no job is known that ever started it.'}
        <Group justify="center" mt="md">
          <Button component={Link} href="/" variant="default">
            To the labs
          </Button>
        </Group>
      </Empty>
      {wasThere && <LabJobs id={id} />}
    </Stack>
  );
}
