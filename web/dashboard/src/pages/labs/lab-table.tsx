import { Checkbox, Table, Text, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import type { Job } from '../../../../../src/client/api-types.ts';
import { useMay } from '../../api/queries.ts';
import { LabActions } from '../../parts/lab-actions/lab-actions.tsx';
import { JobLink } from '../../parts/links.tsx';
import { labText, providerText } from '../../parts/lab-title.ts';
import { SortHeading } from '../../parts/sort-heading.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { TimeLeft, Age } from '../../parts/time.tsx';
import { JobProgressLine, LabName, LabPlace, LabProblem, LastJob, NodesUp } from './lab-facts.tsx';
import { useAddress } from '../../parts/use-address.ts';
import { ordered, orderOf } from './lab-order.ts';
import { comingTitle, type Row } from './lab-rows.ts';
import { SeveralLabs } from './several-labs.tsx';
import classes from './labs.module.css';

/** Columns for wide windows only. */
const wide = { visibleFrom: 'lg' } as const;

interface LabTableRowProps {
  readonly row: Extract<Row, { kind: 'lab' }>;
  readonly hasOwners: boolean;
  readonly isTicked: boolean;
  readonly onTick: (id: string, isTicked: boolean) => void;
}

function LabTableRow({ row: { lab, lastJob }, hasOwners, isTicked, onTick }: LabTableRowProps) {
  const may = useMay(lab);
  return (
    <Table.Tr>
      <Table.Td>
        {may('down') && (
          <Checkbox
            size="xs"
            aria-label={`Tick ${labText(lab)}`}
            checked={isTicked}
            onChange={(event) => onTick(lab.id, event.currentTarget.checked)}
          />
        )}
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

export function LabTable({ rows }: { readonly rows: readonly Row[] }) {
  const { get } = useAddress();
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const tick = (id: string, isTicked: boolean): void => {
    const others = [...ticked].filter((one) => one !== id);
    setTicked(new Set(isTicked ? [...others, id] : others));
  };
  // A lab that is gone, or that a filter hides, is not acted upon.
  const chosen = rows.flatMap((row) => (row.kind === 'lab' && ticked.has(row.lab.id) ? [row.lab] : []));
  // Without user accounts, labs have no owners.
  const hasOwners = rows.some((row) => (row.kind === 'lab' ? row.lab.owner : row.job.requestedBy) !== null);
  return (
    <>
      {chosen.length > 0 && <SeveralLabs labs={chosen} onDone={() => setTicked(new Set())} />}
      <Table verticalSpacing="xs" highlightOnHover aria-label="Labs">
        <Head hasOwners={hasOwners} />
        <Table.Tbody>
          {ordered(rows, orderOf(get('sort'))).map((row) =>
            row.kind === 'lab' ? (
              <LabTableRow
                key={row.key}
                row={row}
                hasOwners={hasOwners}
                isTicked={ticked.has(row.lab.id)}
                onTick={tick}
              />
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
    </>
  );
}
