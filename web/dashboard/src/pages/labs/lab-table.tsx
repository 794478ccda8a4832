import { Table, Text, VisuallyHidden } from '@mantine/core';
import type { Job } from '../../../../../src/client/api-types.ts';
import { LabActions } from '../../parts/lab-actions/lab-actions.tsx';
import { JobLink } from '../../parts/links.tsx';
import { providerText } from '../../parts/lab-title.ts';
import { SortHeading } from '../../parts/sort-heading.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { TimeLeft, Age } from '../../parts/time.tsx';
import { JobProgressLine, LabName, LabPlace, LabProblem, LastJob, NodesUp } from './lab-facts.tsx';
import { useAddress } from '../../parts/use-address.ts';
import { ordered, orderOf } from './lab-order.ts';
import { comingTitle, type Row } from './lab-rows.ts';
import { Tick, type Ticks } from './several-labs.tsx';
import classes from './labs.module.css';

/** Columns for wide windows only. */
const wide = { visibleFrom: 'lg' } as const;

interface LabTableRowProps {
  readonly row: Extract<Row, { kind: 'lab' }>;
  readonly hasOwners: boolean;
  readonly ticks: Ticks;
}

function LabTableRow({ row: { lab, lastJob }, hasOwners, ticks }: LabTableRowProps) {
  return (
    <Table.Tr>
      <Table.Td>
        <Tick lab={lab} ticks={ticks} />
      </Table.Td>
      <Table.Td>
        <StateBadge state={lab.state} />
      </Table.Td>
      <Table.Th scope="row" fw={400}>
        <LabName lab={lab} />
      </Table.Th>
      <Table.Td>
        <NodesUp lab={lab} />
        {lab.problem !== null && <LabProblem problem={lab.problem} />}
      </Table.Td>
      <Table.Td {...wide}>{providerText(lab) ?? ''}</Table.Td>
      <Table.Td>
        <LabPlace workspace={lab.workspace} workdir={lab.workdir} />
      </Table.Td>
      {hasOwners && <Table.Td {...wide}>{lab.owner}</Table.Td>}
      <Table.Td>{lab.startedAt !== null && <Age at={lab.startedAt} />}</Table.Td>
      <Table.Td>
        <TimeLeft until={lab.expiresAt} />
      </Table.Td>
      <Table.Td className={classes['job'] ?? ''}>
        <LastJob lab={lab} job={lastJob} />
      </Table.Td>
      <Table.Td>
        <LabActions lab={lab} isCompact />
      </Table.Td>
    </Table.Tr>
  );
}

function ComingTableRow({ job, hasOwners }: { readonly job: Job; readonly hasOwners: boolean }) {
  return (
    <Table.Tr>
      <Table.Td />
      <Table.Td>
        <StateBadge state={job.state === 'running' ? 'starting' : job.state} />
      </Table.Td>
      <Table.Th scope="row" fw={400}>
        <JobLink id={job.id} inherit={false} fw={600}>
          {comingTitle(job)}
        </JobLink>
      </Table.Th>
      <Table.Td />
      <Table.Td {...wide} />
      <Table.Td>
        <LabPlace workspace={job.workspace} workdir={job.workdir} />
      </Table.Td>
      {hasOwners && <Table.Td {...wide}>{job.requestedBy}</Table.Td>}
      <Table.Td colSpan={3} className={classes['job'] ?? ''}>
        <JobProgressLine job={job} />
      </Table.Td>
      <Table.Td />
    </Table.Tr>
  );
}

const columns = ['State', 'Lab', 'Nodes', 'Provider', 'Directory', 'Owner', 'Started', 'Time left'];
const wideColumns = ['Provider', 'Owner'];

/** The head of the table; the order is in the address. */
function Head({ hasOwners }: { readonly hasOwners: boolean }) {
  const { get, change } = useAddress();
  const order = orderOf(get('sort'));
  return (
    <Table.Thead>
      <Table.Tr>
        <Table.Th>
          <VisuallyHidden>Ticked</VisuallyHidden>
        </Table.Th>
        {columns
          .filter((label) => label !== 'Owner' || hasOwners)
          .map((label) => {
            const column = label.toLowerCase();
            const direction =
              order?.column !== column ? undefined : order.isDescending ? 'descending' : 'ascending';
            const minus = direction === 'ascending' ? '-' : '';
            return (
              <SortHeading
                key={label}
                label={label}
                direction={direction}
                onSort={() => change({ sort: `${minus}${column}` })}
                {...(wideColumns.includes(label) && wide)}
              />
            );
          })}
        <Table.Th>Last job</Table.Th>
        <Table.Th>
          <VisuallyHidden>Actions</VisuallyHidden>
        </Table.Th>
      </Table.Tr>
    </Table.Thead>
  );
}

export function LabTable({ rows, ticks }: { readonly rows: readonly Row[]; readonly ticks: Ticks }) {
  const { get } = useAddress();
  // Without user accounts, labs have no owners.
  const hasOwners = rows.some((row) => (row.kind === 'lab' ? row.lab.owner : row.job.requestedBy) !== null);
  return (
    <Table verticalSpacing="xs" highlightOnHover aria-label="Labs">
      <Head hasOwners={hasOwners} />
      <Table.Tbody>
        {ordered(rows, orderOf(get('sort'))).map((row) =>
          row.kind === 'lab' ? (
            <LabTableRow key={row.key} row={row} hasOwners={hasOwners} ticks={ticks} />
          ) : (
            <ComingTableRow key={row.key} job={row.job} hasOwners={hasOwners} />
          ),
        )}
      </Table.Tbody>
      {rows.length > 12 && (
        <Table.Caption>
          <Text size="sm" span>
            {rows.length} labs
          </Text>
        </Table.Caption>
      )}
    </Table>
  );
}
