import { Alert, Code, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconBan, IconCircleX, IconHourglass } from '@tabler/icons-react';
import type { Job, JobReason } from '../../../../src/client/api-types.ts';
import { JobLink } from './links.tsx';

const reasons: Readonly<Record<JobReason, string>> = {
  exited: 'exited',
  signaled: 'killed by a signal',
  canceled: 'canceled',
  timeout: 'timed out',
  'spawn-error': 'not started',
  'log-limit': 'log limit exceeded',
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
      aria-label="Error"
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

/** The reason why a queued job waits, as a sentence. */
function QueueWords({ job: { queuePosition, waitsFor } }: { readonly job: Job }) {
  if (waitsFor?.job)
    return (
      <>
        The job is waiting until <JobLink id={waitsFor.job} underline="always" /> has ended, which uses the
        same directory.
      </>
    );
  if (queuePosition === null || queuePosition === 1)
    return 'The job starts next: as soon as there is a free slot, and no other job runs in its directory.';
  return `The job is waiting: ${queuePosition - 1} ${queuePosition === 2 ? 'job starts' : 'jobs start'} before it.`;
}

/** The reason why an unfinished job waits. */
function Waiting({ job }: { readonly job: Job }) {
  if (job.state === 'queued')
    return (
      <Alert color="gray" variant="light" p="xs" icon={<IconHourglass aria-hidden />} role="status">
        <QueueWords job={job} />
      </Alert>
    );
  if (job.state !== 'canceling') return null;
  return (
    <Alert color="orange" variant="light" p="xs" icon={<IconHourglass aria-hidden />} role="status">
      The job is being canceled, and waits for its processes: the lab CLI has a moment to clean up before it
      is killed.
      {job.leftovers.length > 0 && ` Still running: ${job.leftovers.join(', ')}.`}
    </Alert>
  );
}

const relations = [
  ['retryOf', 'repeats'],
  ['cleanupOf', 'takes down the rest of the lab of'],
  ['leaseOf', 'takes down, because its lease has expired, the lab of'],
  ['replacedBy', 'takes down the lab that is replaced by'],
  ['cleanupJobId', 'the rest of the lab is taken down by'],
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
  pending: 'is pending',
  delivered: 'was delivered',
  'gave-up': 'was given up: the receiver did not accept it for a day',
  gone: 'was refused for good by the receiver',
  dropped: 'was dropped: too many messages wait for this receiver',
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
