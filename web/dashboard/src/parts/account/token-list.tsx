import { Alert, Button, Code, Group, Select, Skeleton, Stack, Table, Text, TextInput } from '@mantine/core';
import { IconCopy, IconPlus } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreatedToken, Token } from '../../../../../src/client/api-types.ts';
import { useTokens } from '../../api/queries.ts';
import { fetchAgain } from '../../api/query-client.ts';
import { remove, sendTo } from '../../api/service.ts';
import { Columns } from '../columns.tsx';
import { copyText } from '../copy-text.ts';
import { ProblemNotice } from '../problem-notice.tsx';
import { Question } from '../question.tsx';
import { Age, useNow } from '../time.tsx';
import quiet from '../quiet-table.module.css';

const day = 86_400;
const lifetimes = [
  { label: '7 days', value: String(7 * day) },
  { label: '30 days', value: String(30 * day) },
  { label: '90 days', value: String(90 * day) },
  { label: '1 year', value: String(365 * day) },
  { label: 'It never expires', value: '' },
];

const changed = async (): Promise<void> => fetchAgain(['tokens'], ['users']);

/** Shows the secret of a new token, once. */
function Secret({ token: { id, secret }, onClose }: { token: CreatedToken; onClose: () => void }) {
  return (
    <Alert color="green" variant="light" title={`The token ${id}`} role="status">
      <Stack gap="xs" align="start">
        <Text size="sm">
          Copy it now: it is not shown again. Programs send it as “Authorization: Bearer …”.
        </Text>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {secret}
        </Code>
        <Group gap="xs">
          <Button
            size="xs"
            leftSection={<IconCopy size={14} aria-hidden />}
            onClick={() => void copyText(secret, 'The token')}
          >
            Copy the token
          </Button>
          <Button size="xs" variant="default" onClick={onClose}>
            I have saved it
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function NewToken({
  user,
  onClose,
  onMade,
}: {
  readonly user: string;
  readonly onClose: () => void;
  readonly onMade: (token: CreatedToken) => void;
}) {
  const [note, setNote] = useState('');
  const [ttl, setTtl] = useState(String(90 * day));
  const make = useMutation({
    mutationFn: async () =>
      sendTo<CreatedToken>('POST', '/tokens', {
        body: { user, ...(note !== '' && { note }), ...(ttl !== '' && { ttlSeconds: Number(ttl) }) },
      }),
    onSuccess: async (token) => {
      onMade(token);
      await changed();
    },
  });
  return (
    <Question
      title={`New token of ${user}`}
      yes="Create"
      isForm
      isBusy={make.isPending}
      error={make.error}
      onClose={onClose}
      onYes={() => make.mutate()}
    >
      <TextInput
        label="Purpose"
        description="Such as the program or the machine that uses it"
        maxLength={200}
        data-autofocus
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <Select
        label="Expires after"
        data={lifetimes}
        value={ttl}
        allowDeselect={false}
        onChange={(value) => setTtl(value ?? '')}
      />
    </Question>
  );
}

function Revoke({ token: { id, note, user }, onClose }: { token: Token; onClose: () => void }) {
  const revoke = useMutation({
    mutationFn: async () => remove(`/tokens/${encodeURIComponent(id)}`),
    onSuccess: async () => {
      onClose();
      await changed();
    },
  });
  return (
    <Question
      title={`Revoke ${note ?? id}?`}
      yes={`Revoke ${id}`}
      isDangerous
      isBusy={revoke.isPending}
      error={revoke.error}
      focus="no"
      onClose={onClose}
      onYes={() => revoke.mutate()}
    >
      <Text size="sm">
        Programs that log in as {user} with it are refused, and all that is open with it ends at once.
      </Text>
    </Question>
  );
}

function Expiry({ at }: { readonly at: string | null }) {
  const now = useNow();
  if (at === null) return 'never';
  const isOver = Date.parse(at) <= now;
  return (
    <Text
      component="time"
      inherit
      dateTime={at}
      title={new Date(at).toLocaleString()}
      {...(isOver && { c: 'var(--mantine-color-error)' })}
    >
      {isOver ? 'expired' : new Date(at).toLocaleDateString()}
    </Text>
  );
}

/** When and from where a token was used last. */
function LastUse({ token: { lastUsedAt, lastUsedFrom } }: { readonly token: Token }) {
  return (
    <>
      {lastUsedAt === null ? 'not yet' : <Age at={lastUsedAt} />}
      {lastUsedFrom !== null && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          from {lastUsedFrom}
        </Text>
      )}
    </>
  );
}

/** Without `onRevoke`, the token cannot be revoked. */
function Row({ token, onRevoke }: { readonly token: Token; readonly onRevoke?: (() => void) | undefined }) {
  const { id, note, expiresAt } = token;
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        {note ?? 'No purpose given'}
        <Text size="xs" c="dimmed">
          {id}
        </Text>
        <Text size="xs" component="div" hiddenFrom="xs">
          used <LastUse token={token} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="xs">
        <LastUse token={token} />
      </Table.Td>
      <Table.Td>
        <Expiry at={expiresAt} />
      </Table.Td>
      {onRevoke && (
        <Table.Td ta="right">
          <Button size="compact-xs" variant="default" aria-label={`Revoke ${id}`} onClick={onRevoke}>
            Revoke
          </Button>
        </Table.Td>
      )}
    </Table.Tr>
  );
}

/** The way to a new token. `whyNone`: why none can be made. */
function MakeToken({ whyNone, onAsk }: { readonly whyNone: string | undefined; readonly onAsk: () => void }) {
  if (whyNone !== undefined)
    return (
      <Text size="sm" c="dimmed">
        {whyNone}
      </Text>
    );
  return (
    <Group>
      <Button size="xs" variant="default" leftSection={<IconPlus size={14} aria-hidden />} onClick={onAsk}>
        New token
      </Button>
    </Group>
  );
}

/** The tokens of a user, to make and to revoke unless the service cannot. `whyNone`: why none can be made. */
export function TokenList({
  user,
  whyNone,
}: {
  readonly user: string;
  readonly whyNone?: string | undefined;
}) {
  const { data, error, refetch } = useTokens(user);
  const [isAsking, setAsking] = useState(false);
  const [made, setMade] = useState<CreatedToken>();
  const [revoked, setRevoked] = useState<Token>();
  if (data === undefined)
    return error ? (
      <ProblemNotice error={error} title="The tokens cannot be shown" onRetry={() => void refetch()} />
    ) : (
      <Skeleton h={80} />
    );
  const { tokens, readOnly } = data;
  const isFixed = readOnly !== null;
  return (
    <Stack gap="sm">
      {made && <Secret token={made} onClose={() => setMade(undefined)} />}
      {tokens.length === 0 ? (
        <Text size="sm" c="dimmed">
          No tokens. A program logs in with one instead of a password.
        </Text>
      ) : (
        <Table className={quiet['table'] ?? ''} verticalSpacing={6} aria-label={`Tokens of ${user}`}>
          <Columns names={['Purpose', 'Last used', 'Expires']} wide={['Last used']} hasActions={!isFixed} />
          <Table.Tbody>
            {tokens.map((token) => (
              <Row key={token.id} token={token} {...(!isFixed && { onRevoke: () => setRevoked(token) })} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      {!isFixed && <MakeToken whyNone={whyNone} onAsk={() => setAsking(true)} />}
      {isAsking && (
        <NewToken
          user={user}
          onClose={() => setAsking(false)}
          onMade={(token) => {
            setAsking(false);
            setMade(token);
          }}
        />
      )}
      {revoked && <Revoke token={revoked} onClose={() => setRevoked(undefined)} />}
    </Stack>
  );
}
