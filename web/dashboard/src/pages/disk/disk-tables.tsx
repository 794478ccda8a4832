import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DiskUse } from '../../../../../src/client/api-types.ts';
import { Columns } from '../../parts/columns.tsx';
import { JobLink, WorkspaceLink } from '../../parts/links.tsx';
import { sizeText } from '../../parts/size-text.ts';
import quiet from '../../parts/quiet-table.module.css';
import { Part } from '../../parts/part.tsx';

interface RowsProps {
  readonly title: string;
  /** Shown when there is no row. */
  readonly none: string;
  /** The first columns have names, and the last `numbers` columns sizes. */
  readonly columns: readonly string[];
  readonly numbers: number;
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
}

function Rows({ title, none, columns, numbers, rows }: RowsProps) {
  const alignOf = (index: number) => (index >= columns.length - numbers ? 'right' : 'left');
  return (
    <Part title={title}>
      {rows.length === 0 && (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      )}
      {rows.length > 0 && (
        <Table
          verticalSpacing={4}
          horizontalSpacing={6}
          aria-label={title}
          className={quiet['table'] ?? ''}
          style={{ overflowWrap: 'anywhere' }}
        >
          <Columns names={columns} numbers={columns.slice(-numbers)} />
          <Table.Tbody>
            {rows.map(({ key, cells }) => (
              <Table.Tr key={key}>
                {cells.map((cell, index) => (
                  <Table.Td
                    key={columns[index]}
                    ta={alignOf(index)}
                    {...(alignOf(index) === 'right' && {
                      className: 'numbers',
                      style: { whiteSpace: 'nowrap' },
                    })}
                  >
                    {cell}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Part>
  );
}

export function Users({ users }: Pick<DiskUse, 'users'>) {
  return (
    <Rows
      title="By user"
      none="No jobs or workspaces yet."
      columns={['User', 'Jobs', 'Workspaces']}
      numbers={2}
      rows={users.map(({ user, jobs, workspaces }) => ({
        key: user ?? '',
        cells: [user ?? 'without an owner', sizeText(jobs), sizeText(workspaces)],
      }))}
    />
  );
}

export function LargestWorkspaces({ workspaces }: { workspaces: DiskUse['largestWorkspaces'] }) {
  return (
    <Rows
      title="Largest workspaces"
      none="No workspaces yet."
      columns={['Name', 'Owner', 'Size']}
      numbers={1}
      rows={workspaces.map(({ name, owner, size }) => ({
        key: name,
        cells: [<WorkspaceLink key={name} id={name} />, owner ?? '–', sizeText(size)],
      }))}
    />
  );
}

export function LargestJobs({ jobs }: { jobs: DiskUse['largestJobs'] }) {
  return (
    <Rows
      title="Largest jobs"
      none="No jobs yet."
      columns={['Job', 'Action', 'User', 'Size']}
      numbers={1}
      rows={jobs.map(({ id, action, requestedBy, size }) => ({
        key: id,
        cells: [<JobLink key={id} id={id} />, action, requestedBy ?? '–', sizeText(size)],
      }))}
    />
  );
}
