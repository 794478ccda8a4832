import { Badge, Button, Group, Skeleton, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { KnownSession } from '../../../../../src/client/api-types.ts';
import { useSessions } from '../../api/queries.ts';
import { fetchAgain } from '../../api/query-client.ts';
import { remove } from '../../api/service.ts';
import { Columns } from '../columns.tsx';
import { ProblemNotice } from '../problem-notice.tsx';
import { tellError } from '../tell.ts';
import { Age } from '../time.tsx';
import { browserOf } from './browser-of.ts';
import quiet from '../quiet-table.module.css';

function Row({ session }: { readonly session: KnownSession }) {
  const { id, agent, address, startedAt, isCurrent, tokenId, isFromProvider } = session;
  const browser = browserOf(agent);
  const end = useMutation({
    mutationFn: async () => remove(`/sessions/${encodeURIComponent(id)}`),
    onSuccess: async () => fetchAgain(['sessions'], ['users']),
    onError: (error) => tellError('The session was not ended', error),
  });
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap={6}>
          <span title={agent ?? undefined}>{browser}</span>
          {isCurrent && (
            <Badge size="sm" variant="outline" color="gray">
              this one
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {address ?? 'unknown address'}
          {tokenId !== null && `, with ${tokenId}`}
          {isFromProvider && ', at the identity provider'}
        </Text>
      </Table.Td>
      <Table.Td>
        <Age at={startedAt} />
      </Table.Td>
      <Table.Td ta="right">
        {!isCurrent && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`End the session of ${browser} that began ${new Date(startedAt).toLocaleString()}`}
            loading={end.isPending}
            onClick={() => end.mutate()}
          >
            End
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

/** The logins of a user's browsers, to end. */
export function SessionList({ user }: { readonly user: string }) {
  const { data, error, refetch } = useSessions(user);
  if (data === undefined)
    return error ? (
      <ProblemNotice error={error} title="The sessions cannot be shown" onRetry={() => void refetch()} />
    ) : (
      <Skeleton h={80} />
    );
  if (data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No browser is logged in.
      </Text>
    );
  return (
    <Table className={quiet['table'] ?? ''} verticalSpacing={6} aria-label={`Sessions of ${user}`}>
      <Columns names={['Browser', 'Began']} hasActions />
      <Table.Tbody>
        {data.toReversed().map((session) => (
          <Row key={session.id} session={session} />
        ))}
      </Table.Tbody>
    </Table>
  );
}
