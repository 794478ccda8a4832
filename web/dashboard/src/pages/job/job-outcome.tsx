import { Alert, Code, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconBan, IconCircleX, IconHourglass } from '@tabler/icons-react';
import type { Job, JobReason } from '../../../../../src/client/api-types.ts';
import { JobLink } from '../../parts/links.tsx';

const reasons: Readonly<Record<JobReason, string>> = {
  exited: 'ended by itself',
  signaled: 'ended from outside',
  canceled: 'canceled',
  timeout: 'over its time',
  'spawn-error': 'could not be started',
  'log-limit': 'printed too much',
  interrupted: 'interrupted',
};

/** The error sentence of the service for a job that did not succeed. */
function Failure({ job }: { readonly job: Job }) {
  const { state, error, reason, exitCode, signal, leftovers } = job;
  if (error === null) return null;
  const isCanceled = state === 'canceled';
  const facts = [
    reason !== null && reasons[reason],
    exitCode !== null && `exit code ${exitCode}`,
    signal !== null && `signal ${signal}`,
    leftovers.length > 0 && `processes left: ${leftovers.join(', ')}`,
  ].filter((fact) => fact !== false);
  return (
    <Alert
      color={isCanceled ? 'gray' : 'red'}
      variant="light"
      p="sm"
      icon={isCanceled ? <IconBan aria-hidden /> : <IconCircleX aria-hidden />}
      role="group"
      aria-label="Why it did not succeed"
    >
      <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
        {error}
      </Text>
      {facts.length > 0 && (
        <Text size="sm" mt={2}>
          {facts.join(' · ')}
        </Text>
      )}
    </Alert>
  );
}

/** The reason why an unfinished job waits. */
function Waiting({ job }: { readonly job: Job }) {
  if (job.state === 'queued')
    return (
      <Alert color="gray" variant="light" p="xs" icon={<IconHourglass aria-hidden />} role="status">
        {job.queuePosition === null || job.queuePosition === 1
          ? 'It starts next: as soon as there is room, and nothing else runs in its directory.'
          : `It waits: ${job.queuePosition - 1} ${job.queuePosition === 2 ? 'job starts' : 'jobs start'} before it.`}
      </Alert>
    );
  if (job.state !== 'canceling') return null;
  return (
    <Alert color="orange" variant="light" p="xs" icon={<IconHourglass aria-hidden />} role="status">
      It was asked to end, and waits until its processes are gone: the lab CLI has a moment to tidy up, then
      it is killed.
      {job.leftovers.length > 0 && ` Still there: ${job.leftovers.join(', ')}.`}
    </Alert>
  );
}

const relations = [
  ['retryOf', 'repeats'],
  ['cleanupOf', 'takes down what is left of'],
  ['leaseOf', 'takes down, because its lease is over, the lab of'],
  ['cleanupJobId', 'what is left is taken down by'],
] as const;

function Related({ job }: { readonly job: Job }) {
  const found = relations.flatMap(([field, words]) => {
    const id = job[field];
    return id === null ? [] : [{ id, words }];
  });
  if (found.length === 0) return null;
  return (
    <Stack gap={2}>
      {found.map(({ id, words }) => (
        <Text key={words} size="sm">
          {words} <JobLink id={id} ff="monospace" underline="always" />
        </Text>
      ))}
    </Stack>
  );
}

const deliveries: Readonly<Record<NonNullable<Job['webhook']>['state'], string>> = {
  pending: 'is on its way',
  delivered: 'was delivered',
  'gave-up': 'was given up: nobody took it for a day',
  gone: 'is not wanted any more by its receiver',
  dropped: 'was dropped: too many wait for that receiver',
};

function Webhook({ job }: { readonly job: Job }) {
  const { webhook } = job;
  if (webhook === null) return null;
  const { state, attempts, lastStatus, nextAttemptAt } = webhook;
  const facts = [
    `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
    lastStatus !== null && `last answer ${lastStatus}`,
    nextAttemptAt !== null && `next at ${new Date(nextAttemptAt).toLocaleTimeString()}`,
  ].filter((fact) => fact !== false);
  return (
    <Text size="sm" c="dimmed">
      The message to <Code>{job.request.callbackUrl}</Code> {deliveries[state]} ({facts.join(', ')})
    </Text>
  );
}

/** The result of the job or the reason why it waits, and related jobs. */
export function JobOutcome({ job }: { readonly job: Job }) {
  return (
    <>
      <Failure job={job} />
      <Waiting job={job} />
      {job.warnings.length > 0 && (
        <Alert
          color="yellow"
          variant="light"
          p="sm"
          icon={<IconAlertTriangle aria-hidden />}
          title="Warnings"
          role="group"
        >
          <List size="sm">
            {job.warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Related job={job} />
      <Webhook job={job} />
    </>
  );
}
