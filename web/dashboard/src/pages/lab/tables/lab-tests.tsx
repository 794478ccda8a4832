import { Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { Lab, ListedTest } from '../../../../../../src/client/api-types.ts';
import { ServiceError } from '../../../../../../src/client/service-error.ts';
import { useMay, useNewestJobs, useService } from '../../../api/queries.ts';
import { submitJob } from '../../../api/service.ts';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { JobLink } from '../../../parts/links.tsx';
import { Outcome, testCounts } from '../../../parts/outcome.tsx';
import { Age } from '../../../parts/time.tsx';
import { jobsOf, useTestsOf } from '../lab-queries.ts';
import { Columns } from '../../../parts/columns.tsx';

/** The last job that ran tests of this start of the lab, and its results by the names of the tests. */
function useLastRun({ startedAt, ...lab }: Lab) {
  const { data = [] } = useNewestJobs({ ...jobsOf(lab), action: 'validate' });
  for (const { id, createdAt, finishedAt, result } of data)
    if (finishedAt !== null && result?.kind === 'tests' && (startedAt === null || createdAt > startedAt)) {
      const outcomes = new Map(result.tests.map(({ name, outcome }) => [name, outcome]));
      return { id, finishedAt, counts: testCounts(result), outcomes };
    }
  return undefined;
}

type LastRun = ReturnType<typeof useLastRun>;

function LastRunLine({ run }: { readonly run: NonNullable<LastRun> }) {
  return (
    <Text size="sm">
      Last run:{' '}
      <JobLink id={run.id} underline="always">
        {run.counts}
      </JobLink>
      ,{' '}
      <Text inherit span c="dimmed">
        <Age at={run.finishedAt} />
      </Text>
    </Text>
  );
}

function TestRows({ tests, lastRun }: { readonly tests: readonly ListedTest[]; readonly lastRun: LastRun }) {
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table verticalSpacing={6} aria-labelledby="tests">
        <Columns
          names={['Name', 'Description', 'Nodes', ...(lastRun ? ['Last run'] : [])]}
          wide={['Nodes']}
        />
        <Table.Tbody>
          {tests.map(({ name, description, nodes }) => (
            <Table.Tr key={name}>
              <Table.Td fw={600} style={{ overflowWrap: 'anywhere' }}>
                {name}
              </Table.Td>
              <Table.Td>{description}</Table.Td>
              <Table.Td c="dimmed" visibleFrom="xs">
                {nodes.join(', ')}
              </Table.Td>
              {lastRun && (
                <Table.Td>
                  {lastRun.outcomes.has(name) && <Outcome outcome={lastRun.outcomes.get(name) ?? null} />}
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** The tests could not be listed; the lab itself works. */
function NotTold({ error, isAsking, onRetry }: { error: Error; isAsking: boolean; onRetry: () => void }) {
  return (
    <Stack gap={4} align="start" role="status">
      <Text size="sm">The tests of this lab cannot be listed now.</Text>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {error.message}
      </Text>
      <Button size="xs" variant="default" mt={4} loading={isAsking} onClick={onRetry}>
        Try again
      </Button>
    </Stack>
  );
}

/** The tests of the topology; `validate` runs them. */
export function LabTests({ lab }: { readonly lab: Lab }) {
  const may = useMay(lab);
  const lastRun = useLastRun(lab);
  const [, go] = useLocation();
  const service = useService();
  // A lab CLI without tests would refuse the request, and browsers would log an error.
  const other = service.data?.labClis.find(({ name }) => name === lab.cli)?.otherOptions['validate'];
  const runsNone = other?.includes('tests') === true;
  const isWanted = !service.isPending && !runsNone;
  const { data: tests, error, isFetching, refetch } = useTestsOf(lab.id, lab.startedAt, isWanted);
  const validate = useMutation({
    mutationFn: async () => submitJob({ action: 'validate', instance: lab.id, cli: lab.cli }),
    onSuccess: ({ id }) => go(`/jobs/${id}`),
  });
  // A lab CLI without tests, or a missing directory: the user cannot change that here.
  const hasNone = error instanceof ServiceError && (error.status === 404 || error.code === 'not-supported');
  return (
    <section aria-labelledby="tests">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="tests">
          Tests
        </Title>
        {may('validate') && tests !== undefined && tests.length > 0 && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconChecklist size={16} aria-hidden />}
            loading={validate.isPending}
            onClick={() => validate.mutate()}
          >
            Validate
          </Button>
        )}
      </Group>
      <Stack gap="xs">
        {validate.isError && <ProblemNotice error={validate.error} title="The tests were not started" />}
        {error && !hasNone && <NotTold error={error} isAsking={isFetching} onRetry={() => void refetch()} />}
        {runsNone && (
          <Text c="dimmed" size="sm">
            This lab has no tests: {lab.cli} does not support them.
          </Text>
        )}
        {!runsNone && (hasNone || tests?.length === 0) && (
          <Text c="dimmed" size="sm">
            This lab has no tests. A topology defines them under its key <code>validate</code>.
          </Text>
        )}
        {lastRun && <LastRunLine run={lastRun} />}
        {tests !== undefined && tests.length > 0 && <TestRows tests={tests} lastRun={lastRun} />}
      </Stack>
    </section>
  );
}
