import { Badge, Group, Progress, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { IconDoorEnter, IconDoorExit, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { Host } from '../../../../../src/client/api-types.ts';
import { useMayAdminister } from '../../api/queries.ts';
import { fetchAgain } from '../../api/query-client.ts';
import { sendTo } from '../../api/service.ts';
import { MoreMenu, MenuEntry } from '../../parts/menu.tsx';
import { sizeText } from '../../parts/size-text.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { tellError } from '../../parts/tell.ts';
import { durationText } from '../../parts/duration-text.ts';
import quiet from '../../parts/quiet-table.module.css';

/** The actions of administrators: drain a reachable host, forget an unreachable one. */
function HostActions({ host, onForget }: { host: Host; onForget: (host: Host) => void }) {
  const { id, name, state } = host;
  const drain = useMutation({
    mutationFn: async (isWanted: boolean) =>
      sendTo<Host>('POST', `/hosts/${id}/drain`, { body: { drain: isWanted } }),
    onSettled: async () => fetchAgain(['hosts']),
    onError: (error) => tellError(name, error, { stays: true }),
  });
  return (
    <MoreMenu label={`Actions of ${name}`} loading={drain.isPending}>
      {state === 'up' && (
        <MenuEntry Icon={IconDoorExit} onClick={() => drain.mutate(true)}>
          Drain: no new labs
        </MenuEntry>
      )}
      {state === 'draining' && (
        <MenuEntry Icon={IconDoorEnter} onClick={() => drain.mutate(false)}>
          Accept labs again
        </MenuEntry>
      )}
      {state === 'away' && (
        <MenuEntry Icon={IconTrash} isDangerous onClick={() => onForget(host)}>
          Forget…
        </MenuEntry>
      )}
    </MoreMenu>
  );
}

interface Props {
  readonly hosts: readonly Host[];
  readonly onForget: (host: Host) => void;
}

/** A part of a total, as text and as a bar. */
function Load({ part, whole, text }: { part: number; whole: number; text: string }) {
  return (
    <Stack gap={2}>
      <Text inherit className="numbers" style={{ whiteSpace: 'nowrap' }}>
        {text}
      </Text>
      <Progress value={whole === 0 ? 0 : (part / whole) * 100} size="xs" aria-hidden />
    </Stack>
  );
}

/** Problems of the host, as text. */
function Remark({ host: { state, unreachable, url, stale, seenSecondsAgo } }: { readonly host: Host }) {
  const isOld = stale || state === 'away';
  if (!isOld && unreachable === null) return null;
  return (
    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {isOld && `seen ${durationText(seenSecondsAgo * 1000)} ago`}
      {isOld && unreachable !== null && ' · '}
      {unreachable !== null && `not reachable at ${url}: ${unreachable}`}
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
          <Text inherit fw={500} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          {isThis && (
            <Badge size="sm" variant="default">
              this host
            </Badge>
          )}
          {labels.map((label) => (
            <Badge key={label} size="sm" color="gray">
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
      <Table.Td visibleFrom="sm">
        <Load
          part={memory - freeMemory}
          whole={memory}
          text={`${sizeText(freeMemory)} of ${sizeText(memory)} free`}
        />
      </Table.Td>
      <Table.Td visibleFrom="sm">{version}</Table.Td>
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
      <Table verticalSpacing="xs" highlightOnHover aria-label="Hosts" className={quiet['table'] ?? ''}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Jobs</Table.Th>
            <Table.Th ta="right">Labs</Table.Th>
            <Table.Th visibleFrom="sm">Memory for labs</Table.Th>
            <Table.Th visibleFrom="sm">Version</Table.Th>
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
