import { Table, Text } from '@mantine/core';
import type { UserList } from '../../../../../src/client/api-types.ts';
import { Columns } from '../../parts/columns.tsx';
import { Part } from '../../parts/part.tsx';

/** The groups of the users file, which the file alone changes. Absent in replies of hosts with an earlier version. */
export function GroupList({ groups = [] }: Partial<Pick<UserList, 'groups'>>) {
  if (groups.length === 0) return null;
  return (
    <Part title="Groups">
      <Table.ScrollContainer minWidth={0}>
        <Table verticalSpacing="xs" aria-label="Groups">
          <Columns names={['Group', 'Leaders', 'Members']} />
          <Table.Tbody>
            {groups.map(({ name, leaders, members }) => (
              <Table.Tr key={name} style={{ overflowWrap: 'anywhere' }}>
                <Table.Td fw={500}>{name}</Table.Td>
                <Table.Td>{leaders.join(', ') || '–'}</Table.Td>
                <Table.Td>{members.join(', ') || '–'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="sm" c="dimmed">
        Leaders have the labs, workspaces and jobs of the members as their own. Groups are changed in the
        users file on the server.
      </Text>
    </Part>
  );
}
