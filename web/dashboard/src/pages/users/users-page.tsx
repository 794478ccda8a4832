import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { UserList } from '../../../../../src/client/api-types.ts';
import { useSession, useUsers } from '../../api/queries.ts';
import { ReadOnlyNotice } from '../../parts/account/read-only-notice.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ForAdministrators } from '../../parts/for-administrators.tsx';
import { Loading } from '../../parts/loading.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { GroupList } from './group-list.tsx';
import { UserDialog, type Asked } from './user-dialogs.tsx';
import { UserTable } from './user-table.tsx';

function Notices({ list: { readOnly, problem } }: { readonly list: UserList }) {
  return (
    <>
      <ReadOnlyNotice title="Users are read-only here" why={readOnly} />
      {problem !== null && (
        <Alert
          color="orange"
          variant="outline"
          icon={<IconAlertTriangle aria-hidden />}
          title="The users file has a mistake"
        >
          The users of its last valid version count, and changes are refused until it is mended: {problem}
        </Alert>
      )}
    </>
  );
}

function Users() {
  const { data, error, refetch } = useUsers();
  const [asked, setAsked] = useState<Asked>();
  if (data === undefined)
    return error ? (
      <ProblemNotice error={error} title="The users cannot be shown" onRetry={() => void refetch()} />
    ) : (
      <Loading h="30vh" />
    );
  const mayChange = data.readOnly === null;
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h2">
          Users
        </Title>
        {mayChange && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAsked({ kind: 'add' })}>
            Add a user
          </Button>
        )}
      </Group>
      <Notices list={data} />
      <UserTable users={data.users} mayChange={mayChange} onAsk={setAsked} />
      <GroupList groups={data.groups} />
      <Text size="sm" c="dimmed">
        Viewers read. Operators also start, change and stop labs. Administrators do everything.
      </Text>
      {asked && <UserDialog asked={asked} onClose={() => setAsked(undefined)} />}
    </Stack>
  );
}

export default function UsersPage() {
  const session = useSession().data;
  if (session?.user === null)
    return (
      <Empty isPage title="This server has no users">
        Everyone who can reach it may do everything. To add users, set LAB_API_USERS_FILE and run “lab user
        add” on the server.
      </Empty>
    );
  return (
    <ForAdministrators
      title="For administrators"
      words="Only administrators manage users. Your own password, tokens and sessions are in the settings."
    >
      <Users />
    </ForAdministrators>
  );
}
