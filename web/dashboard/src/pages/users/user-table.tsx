import { Badge, Group, Table, Text, VisuallyHidden } from '@mantine/core';
import {
  IconDeviceLaptop,
  IconEdit,
  IconKey,
  IconLock,
  IconLockOpen,
  IconPassword,
  IconTrash,
} from '@tabler/icons-react';
import type { User } from '../../../../../src/client/api-types.ts';
import { useSession } from '../../api/queries.ts';
import { MenuEntry, MoreMenu } from '../../parts/menu.tsx';
import quiet from '../../parts/quiet-table.module.css';
import type { Asked } from './user-dialogs.tsx';

interface Props {
  readonly users: readonly User[];
  readonly mayChange: boolean;
  readonly onAsk: (asked: Asked) => void;
}

function Actions({ user, mayChange, onAsk }: { user: User } & Omit<Props, 'users'>) {
  const isSelf = useSession().data?.user === user.name;
  const isChangeable = mayChange && user.inFile && !isSelf;
  const entry = (kind: Exclude<Asked['kind'], 'add'>) => () => onAsk({ kind, user });
  return (
    <MoreMenu label={`Actions of ${user.name}`}>
      {isChangeable && (
        <>
          <MenuEntry Icon={IconEdit} onClick={entry('edit')}>
            Role and directories…
          </MenuEntry>
          <MenuEntry Icon={IconPassword} onClick={entry('password')}>
            Set a password…
          </MenuEntry>
          <MenuEntry Icon={user.locked ? IconLockOpen : IconLock} onClick={entry('lock')}>
            {user.locked ? 'Unlock…' : 'Lock…'}
          </MenuEntry>
        </>
      )}
      {user.inFile && (
        <MenuEntry Icon={IconKey} onClick={entry('tokens')}>
          Tokens…
        </MenuEntry>
      )}
      <MenuEntry Icon={IconDeviceLaptop} onClick={entry('sessions')}>
        Sessions…
      </MenuEntry>
      {isChangeable && (
        <MenuEntry Icon={IconTrash} isDangerous onClick={entry('remove')}>
          Remove…
        </MenuEntry>
      )}
    </MoreMenu>
  );
}

function Name({ user: { name, locked, inFile } }: { readonly user: User }) {
  const isSelf = useSession().data?.user === name;
  return (
    <Group gap={6}>
      <Text inherit fw={500} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
      {isSelf && (
        <Badge size="sm" variant="outline" color="gray">
          you
        </Badge>
      )}
      {locked && (
        <Badge size="sm" variant="outline" color="gray" leftSection={<IconLock size={10} aria-hidden />}>
          locked
        </Badge>
      )}
      {!inFile && (
        <Text size="xs" c="dimmed">
          of LAB_API_USER
        </Text>
      )}
    </Group>
  );
}

const tokensText = ({ tokens, expiredTokens }: User): string =>
  expiredTokens === 0 ? String(tokens) : `${tokens} (${expiredTokens} expired)`;

const directoriesOf = ({ workdirs }: User): string =>
  workdirs === null ? 'all' : workdirs.join(', ') || 'own workspaces';

export function UserTable({ users, ...rest }: Props) {
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table verticalSpacing="xs" highlightOnHover className={quiet['table'] ?? ''} aria-label="Users">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Role</Table.Th>
            <Table.Th visibleFrom="sm">Password</Table.Th>
            <Table.Th visibleFrom="sm">Directories</Table.Th>
            <Table.Th ta="right" visibleFrom="xs">
              Tokens
            </Table.Th>
            <Table.Th ta="right" visibleFrom="xs">
              Sessions
            </Table.Th>
            <Table.Th>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {users.map((user) => (
            <Table.Tr key={user.name}>
              <Table.Td>
                <Name user={user} />
              </Table.Td>
              <Table.Td>{user.role}</Table.Td>
              <Table.Td visibleFrom="sm">{user.hasPassword ? 'yes' : 'none'}</Table.Td>
              <Table.Td visibleFrom="sm" style={{ overflowWrap: 'anywhere' }}>
                {directoriesOf(user)}
              </Table.Td>
              <Table.Td ta="right" visibleFrom="xs">
                {tokensText(user)}
              </Table.Td>
              <Table.Td ta="right" visibleFrom="xs">
                {user.sessions}
              </Table.Td>
              <Table.Td ta="right">
                <Actions user={user} {...rest} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
