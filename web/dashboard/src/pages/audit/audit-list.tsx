import { Card, Group, Stack, Table, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { AuditRecord } from '../../../../../src/client/api-types.ts';
import { Columns } from '../../parts/columns.tsx';
import quiet from '../../parts/quiet-table.module.css';
import { AuditObject, AuditOutcome, AuditRequest, AuditTime, AuditUser } from './audit-facts.tsx';
import classes from './audit.module.css';

interface Props {
  readonly records: readonly AuditRecord[];
}

/** A `gap` has no id, and a stream has two lines with the same one. */
const keyOf = ({ requestId, event, time }: AuditRecord, index: number): string =>
  `${requestId ?? index} ${event} ${time}`;

function AuditTable({ records }: Props) {
  return (
    <Table verticalSpacing={6} fz="sm" highlightOnHover aria-label="Audit" className={quiet['table'] ?? ''}>
      <Columns names={['Time', 'User', 'Address', 'Request', 'About', 'Outcome']} />
      <Table.Tbody>
        {records.map((record, index) => (
          <Table.Tr key={keyOf(record, index)}>
            <Table.Td className={classes['short'] ?? ''}>
              <AuditTime record={record} />
            </Table.Td>
            <Table.Td className={classes['name'] ?? ''}>
              <AuditUser record={record} />
            </Table.Td>
            <Table.Td className={classes['address'] ?? ''}>{record.address}</Table.Td>
            <Table.Td>
              <AuditRequest record={record} />
            </Table.Td>
            <Table.Td className={classes['about'] ?? ''}>
              <AuditObject record={record} />
            </Table.Td>
            <Table.Td className={classes['outcome'] ?? ''}>
              <AuditOutcome record={record} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function AuditCards({ records }: Props) {
  return (
    <Stack component="ul" aria-label="Audit" gap="xs" className={classes['cards'] ?? ''}>
      {records.map((record, index) => (
        <Card key={keyOf(record, index)} component="li" withBorder padding="xs" fz="sm">
          <Group justify="space-between" gap="4px 12px">
            <AuditOutcome record={record} />
            <Text inherit span c="dimmed">
              <AuditTime record={record} />
            </Text>
          </Group>
          <div className={classes['long']}>
            <AuditRequest record={record} />
          </div>
          <div className={classes['long']}>
            <AuditUser record={record} />
            {record.address !== undefined && (
              <Text inherit span c="dimmed">
                {' '}
                from {record.address}
              </Text>
            )}
          </div>
          <AuditObject record={record} />
        </Card>
      ))}
    </Stack>
  );
}

/** The lines as a table, or as cards on narrow screens. */
export function AuditList({ records }: Props) {
  const isNarrow = useMediaQuery('(max-width: 62em)', undefined, { getInitialValueInEffect: false });
  return isNarrow ? <AuditCards records={records} /> : <AuditTable records={records} />;
}
