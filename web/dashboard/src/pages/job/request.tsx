import { Button, Code, Group, Skeleton, Stack, Table, Title } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import type { Job } from '../../../../../src/client/api-types.ts';
import { useJobTopology } from '../../api/queries.ts';
import { copyText } from '../../parts/copy-text.ts';
import { WorkspaceLink } from '../../parts/links.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { curlLine, shellLine } from '../../parts/shell-words.ts';
import { useReach } from '../../parts/use-reach.ts';
import classes from './job.module.css';

function Block({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <section>
      <Group gap="sm" mb={4} justify="space-between">
        <Title order={2} size="h5">
          {title}
        </Title>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconCopy size={14} aria-hidden />}
          aria-label={`Copy: ${title}`}
          onClick={() => void copyText(text, title)}
        >
          Copy
        </Button>
      </Group>
      <Code block className={classes['command'] ?? ''}>
        {text}
      </Code>
    </section>
  );
}

/** The record of the job has a note in place of the topology; the command has the topology itself. */
function ShellCommand({ job }: { readonly job: Job }) {
  const reach = useReach();
  const hasOwn = job.request.topology !== undefined;
  const topology = useJobTopology(job.id, hasOwn);
  if (hasOwn && topology.isPending)
    return <Skeleton h={60} role="status" aria-label="Loading the topology" />;
  if (topology.error)
    return <ProblemNotice error={topology.error} title="The request cannot be shown as a shell command" />;
  const request = hasOwn ? { ...job.request, topology: topology.data } : job.request;
  return <Block title="Request as a shell command" text={curlLine(reach, request)} />;
}

/** The request, the command, and the request as a shell command. */
export function Request({ job }: { readonly job: Job }) {
  const facts: readonly (readonly [string, React.ReactNode])[] = [
    ['Directory', job.workdir],
    ['Workspace', job.workspace !== null && <WorkspaceLink id={job.workspace} />],
    ['Log file', job.logPath],
    ['Host', job.host],
  ];
  return (
    <Stack gap="md">
      <Table verticalSpacing={2} withRowBorders={false} w="auto">
        <Table.Tbody>
          {facts
            .filter(([, value]) => value !== null && value !== false)
            .map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th fw={500}>{name}</Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
      <Block title="Command" text={shellLine(job.command)} />
      <Block title="Request" text={JSON.stringify(job.request, null, 2)} />
      <ShellCommand job={job} />
    </Stack>
  );
}
