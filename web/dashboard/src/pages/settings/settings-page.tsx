import {
  Anchor,
  Code,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Table,
  Text,
  Title,
  useMantineColorScheme,
  Button,
  Group,
  List,
  Skeleton,
} from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ReadinessCheck, Session } from '../../../../../src/client/api-types.ts';
import { ownBuild } from '../../api/build.ts';
import { useReadiness, useService, useSession, useTokens } from '../../api/queries.ts';
import { addressOf } from '../../api/service.ts';
import { ReadOnlyNotice } from '../../parts/account/read-only-notice.tsx';
import { SessionList } from '../../parts/account/session-list.tsx';
import { KeyTable } from '../../parts/key-table.tsx';
import { Part } from '../../parts/part.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { OwnPassword, OwnTokens } from './own-account.tsx';
import { OwnQuotas } from './own-quotas.tsx';

const roleMeans: Readonly<Record<Session['role'], string>> = {
  viewer: 'may view everything, and change nothing',
  operator: 'may also start, change and stop labs',
  admin: 'may do everything, also with the labs of other users',
};

const wayMeans: Readonly<Record<Session['loggedInBy'], string>> = {
  nothing: 'none: everyone who can reach this server may use it',
  password: 'with the password dialog of the browser',
  token: 'with a token',
  key: 'with a key of SSH',
  session: 'with the login form',
  provider: 'at the identity provider',
  proxy: 'by the proxy in front of the service',
  host: 'on another host of the cluster',
};

/** The names of the checks of `GET /readyz`; an unknown check is shown by its own name. */
const checkNames: Readonly<Partial<Record<string, string>>> = {
  'jobs-directory': 'Jobs directory',
  'free-disk': 'Free disk space',
  'job-records': 'Job records',
  'job-starts': 'Job starts',
  'lab-cli': 'Lab CLI',
  'audit-file': 'Audit file',
};

function Check({ check: { name, ok, detail } }: { readonly check: ReadinessCheck }) {
  const Icon = ok ? IconCircleCheck : IconCircleX;
  const color = ok ? 'var(--mantine-color-green-filled)' : 'var(--mantine-color-error)';
  return (
    <List.Item icon={<Icon size={18} color={color} aria-hidden style={{ marginTop: 2 }} />}>
      <Text size="sm" fw={500}>
        {checkNames[name] ?? name}: {ok ? 'OK' : 'failed'}
      </Text>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {detail}
      </Text>
    </List.Item>
  );
}

/** All readiness checks of the service. */
function ReadinessList() {
  const readiness = useReadiness();
  const again = (): void => void readiness.refetch();
  if (readiness.isError) return <ProblemNotice error={readiness.error} onRetry={again} />;
  if (!readiness.data) return <Skeleton h={120} />;
  const { status, checks } = readiness.data;
  return (
    <Stack gap="sm">
      <Text size="sm">{status === 'ok' ? 'The service is ready.' : 'The service is not ready.'}</Text>
      <List spacing={8} p={0} m={0}>
        {checks.map((check) => (
          <Check key={check.name} check={check} />
        ))}
      </List>
      <Group>
        <Button size="xs" variant="default" loading={readiness.isFetching} onClick={again}>
          Refresh
        </Button>
      </Group>
    </Stack>
  );
}

/** A list of names and values. */
function Facts({ of, rows }: { of: string; rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <Table
      aria-label={of}
      withRowBorders={false}
      verticalSpacing={4}
      horizontalSpacing={0}
      layout="fixed"
      style={{ overflowWrap: 'anywhere' }}
    >
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name} style={{ verticalAlign: 'top' }}>
            <Table.Th scope="row" w={110} fw={400} c="dimmed">
              {name}
            </Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function WhoAmI() {
  const session = useSession().data;
  if (!session) return null;
  const { user, role, permissions, workdirs, loggedInBy, expiresAt } = session;
  return (
    <Facts
      of="You"
      rows={[
        ['User', user ?? 'Not signed in: this server has no user accounts'],
        ['Role', `${role}: ${roleMeans[role]}`],
        ['Permissions', permissions.join(', ')],
        [
          'Directories',
          workdirs === null
            ? 'all'
            : workdirs.map((directory) => (
                <Code key={directory} block mb={4}>
                  {directory}
                </Code>
              )),
        ],
        ['Login', wayMeans[loggedInBy]],
        ['Expires', expiresAt === null ? 'never' : new Date(expiresAt).toLocaleString()],
      ]}
    />
  );
}

function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      aria-label="Theme"
      value={colorScheme}
      onChange={(value) => setColorScheme(value === 'dark' || value === 'light' ? value : 'auto')}
      data={[
        { value: 'auto', label: 'System' },
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
      ]}
    />
  );
}

function Versions() {
  const service = useService();
  if (service.isError) return <ProblemNotice error={service.error} onRetry={() => void service.refetch()} />;
  return (
    <Facts
      of="Versions"
      rows={[
        ['Service', service.data ? `lab-api ${service.data.version}` : '…'],
        ['This page', ownBuild === undefined ? 'development server' : <Code key="build">{ownBuild}</Code>],
        ['Server', location.host],
      ]}
    />
  );
}

const links = [
  ['/docs', 'API reference', 'all routes, with examples to try'],
  ['/openapi.json', 'OpenAPI document', 'for client generators'],
  ['/healthz', 'Health', 'whether the service answers'],
  ['/readyz', 'Readiness', 'whether it can do its work'],
  ['/metrics', 'Metrics', 'for Prometheus'],
] as const;

function Links() {
  return (
    <Stack gap={6}>
      {links.map(([path, name, what]) => (
        <Text key={path} size="sm">
          <Anchor href={addressOf(path)} underline="always">
            {name}
          </Anchor>{' '}
          <Text span c="dimmed">
            {what}
          </Text>
        </Text>
      ))}
    </Stack>
  );
}

function AccountOf({ user, session }: { readonly user: string; readonly session: Session }) {
  const readOnly = useTokens(user).data?.readOnly ?? null;
  return (
    <>
      <ReadOnlyNotice title="Tokens and password are read-only here" why={readOnly} />
      <Part title="Tokens">
        <OwnTokens user={user} session={session} />
      </Part>
      <Part title="Sessions">
        <SessionList user={user} />
      </Part>
      {session.hasPassword && readOnly === null && (
        <Part title="Password">
          <OwnPassword user={user} />
        </Part>
      )}
    </>
  );
}

/** The password, the tokens and the sessions of the user; nothing on servers without users. */
function Account() {
  const session = useSession().data;
  return !session || session.user === null ? null : <AccountOf user={session.user} session={session} />;
}

export default function SettingsPage() {
  return (
    <Stack gap="md" maw={1080} mx="auto">
      <Title order={1} size="h3">
        Settings
      </Title>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" style={{ alignItems: 'start' }}>
        <Stack gap="md">
          <Part title="You">
            <WhoAmI />
          </Part>
          <OwnQuotas />
          <Part title="Appearance">
            <Appearance />
          </Part>
          <Account />
        </Stack>
        <Stack gap="md">
          <Part title="Versions">
            <Versions />
          </Part>
          <Part title="Readiness">
            <ReadinessList />
          </Part>
          <Part title="For programs">
            <Links />
          </Part>
          <Part title="Keyboard">
            <KeyTable />
          </Part>
        </Stack>
      </SimpleGrid>
    </Stack>
  );
}
