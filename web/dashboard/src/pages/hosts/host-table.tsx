import { Badge, Group, Progress, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import type { Host } from '../../../../../src/client/api-types.ts';
import { useMayAdminister } from '../../api/queries.ts';
import { sizeText } from '../../parts/size-text.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { durationText } from '../../parts/time.tsx';
import { HostActions } from './host-actions.tsx';
import classes from './hosts.module.css';

interface Props {
  readonly hosts: readonly Host[];
  readonly onForget: (host: Host) => void;
}

/** So much, of so much, with a bar. */
function Load({
  part,
  whole,
  text,
}: {
  readonly part: number;
  readonly whole: number;
  readonly text: string;
}) {
  return (
    <Stack gap={2}>
      <Text inherit className="numbers" style={{ whiteSpace: 'nowrap' }}>
        {text}
      </Text>
      <Progress value={whole === 0 ? 0 : (part / whole) * 100} size="xs" aria-hidden />
    </Stack>
  );
}

/** What is not as it should be, in words. */
function Remark({ host: { state, unreachable, url, stale, seenSecondsAgo } }: { readonly host: Host }) {
  const isOld = stale || state === 'away';
  if (!isOld && unreachable === null) return null;
  return (
    <Text size="xs" c="dimmed" className={classes['remark']}>
      {isOld && `seen ${durationText(seenSecondsAgo * 1000)} ago`}
      {isOld && unreachable !== null && ' · '}
      {unreachable !== null && `not reached at ${url}: ${unreachable}`}
    </Text>
  );
}

function Row({
  host,
  onForget,
  mayChange,
}: { readonly host: Host; readonly mayChange: boolean } & Pick<Props, 'onForget'>) {
  const { name, state, isThis, labels, labs, version, capacity, running, queued, memory, freeMemory } = host;
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap={6}>
          <Text inherit fw={500} className={classes['name']}>
            {name}
          </Text>
          {isThis && (
            <Badge size="sm" variant="default" tt="none">
              this one
            </Badge>
          )}
          {labels.map((label) => (
            <Badge key={label} size="sm" variant="light" color="gray" tt="none">
              {label}
            </Badge>
          ))}
        </Group>
        <Remark host={host} />
      </Table.Td>
      <Table.Td>
        <StateBadge state={state} />
      </Table.Td>
      <Table.Td>
        <Load
          part={running}
          whole={capacity}
          text={`${running} of ${capacity}${queued > 0 ? `, ${queued} waiting` : ''}`}
        />
      </Table.Td>
      <Table.Td ta="right">{labs}</Table.Td>
      <Table.Td className={classes['extra']}>
        <Load
          part={memory - freeMemory}
          whole={memory}
          text={`${sizeText(freeMemory)} of ${sizeText(memory)} free`}
        />
      </Table.Td>
      <Table.Td className={classes['extra']}>{version}</Table.Td>
      {mayChange && (
        <Table.Td ta="right">
          <HostActions host={host} onForget={onForget} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

export function HostTable({ hosts, onForget }: Props) {
  const mayChange = useMayAdminister();
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table verticalSpacing="xs" highlightOnHover aria-label="Hosts" className={classes['table']}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Jobs</Table.Th>
            <Table.Th ta="right">Labs</Table.Th>
            <Table.Th className={classes['extra']}>Memory for labs</Table.Th>
            <Table.Th className={classes['extra']}>Version</Table.Th>
            {mayChange && (
              <Table.Th>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {hosts.map((host) => (
            <Row key={host.id} host={host} onForget={onForget} mayChange={mayChange} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
