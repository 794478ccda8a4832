/** Single facts of a line of the audit, for table rows and cards. */
import { Badge, Group, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleDot,
  IconCircleX,
  IconPlugConnectedX,
} from '@tabler/icons-react';
import type { AuditRecord } from '../../../../../src/client/api-types.ts';
import { useLabs } from '../../api/queries.ts';
import { JobLink, LabLink } from '../../parts/links.tsx';
import classes from './audit.module.css';

interface Props {
  readonly record: AuditRecord;
}

const looks = {
  done: { color: 'green', Icon: IconCircleCheck },
  opened: { color: 'blue', Icon: IconCircleDot },
  refused: { color: 'orange', Icon: IconBan },
  failed: { color: 'red', Icon: IconCircleX },
  'broken off': { color: 'gray', Icon: IconPlugConnectedX },
  gap: { color: 'red', Icon: IconAlertTriangle },
} as const;

function outcomeOf({ event, status, error, aborted }: AuditRecord): keyof typeof looks {
  if (event === 'gap' || event === 'opened') return event;
  if (event === 'more-refusals') return 'refused';
  if (error !== undefined) return status !== undefined && status >= 500 ? 'failed' : 'refused';
  return aborted === true || status === undefined ? 'broken off' : 'done';
}

/** The outcome as a colour, a shape and a word, with the status and the code of the error. */
export function AuditOutcome({ record }: Props) {
  const outcome = outcomeOf(record);
  const { color, Icon } = looks[outcome];
  const { status, error } = record;
  return (
    <Group component="span" gap={6} display="inline-flex">
      <Badge
        color={color}
        miw="fit-content"
        tt="none"
        // As in `StateBadge`: the icon has the colour.
        styles={{ label: { color: 'var(--mantine-color-text)' } }}
        leftSection={<Icon size={14} aria-hidden />}
      >
        {outcome}
      </Badge>
      {status !== undefined && (
        <Text inherit span c="dimmed">
          {[status, error].filter((word) => word !== undefined).join(' ')}
        </Text>
      )}
    </Group>
  );
}

/** The exact time: an audit is compared with other logs. */
export function AuditTime({ record: { time } }: Props) {
  return (
    <time dateTime={time} title={time} className="numbers">
      {new Date(time).toLocaleString()}
    </time>
  );
}

export function AuditUser({ record: { event, user, role, loggedInBy } }: Props) {
  if (user !== undefined)
    return <span title={`${role ?? 'unknown role'}, logged in by ${loggedInBy ?? 'unknown'}`}>{user}</span>;
  if (event === 'gap' || event === 'more-refusals') return null;
  return (
    <Text inherit span c="dimmed">
      {loggedInBy === 'nothing' ? 'everyone' : 'no login'}
    </Text>
  );
}

/** The action of a job or the operation, and its request line. */
export function AuditRequest({ record }: Props) {
  const { event, action, operation, method, path, count } = record;
  if (event === 'gap') return <>{count} lines are only in the log of the service</>;
  if (event === 'more-refusals') return <>{count} more requests, which have no lines of their own</>;
  return (
    <>
      <Text inherit span fw={500}>
        {action ?? operation ?? 'no route'}
      </Text>{' '}
      <Text inherit span c="dimmed" className={classes['long'] ?? ''}>
        {method} {path}
      </Text>
    </>
  );
}

/** The objects of a request by the names of their fields, and the word before each. */
const objects = [
  ['subject', 'user'],
  ['token', 'token'],
  ['session', 'session'],
  ['node', 'node'],
  ['interface', 'interface'],
  ['snapshot', 'snapshot'],
  ['workspace', 'workspace'],
  ['file', 'file'],
  ['shares', 'shared with'],
  ['workdir', ''],
] as const;

/** The objects of a request, with links to the job and to a lab that still exists. */
export function AuditObject({ record }: Props) {
  const { job, lab, operation } = record;
  const hasLab = useLabs().data?.some(({ id }) => id === lab) ?? false;
  const isOfWorkspace = record.workspace !== undefined;
  return (
    <Group component="span" gap="2px 10px" display="inline-flex" className={classes['long'] ?? ''}>
      {lab !== undefined && <span>lab {hasLab ? <LabLink id={lab} /> : lab}</span>}
      {job !== undefined && (operation === 'removeJob' ? <span>{job}</span> : <JobLink id={job} />)}
      {objects.map(([name, word]) => {
        const value = name === 'shares' && record.shares === '' ? 'none' : record[name];
        if (value === undefined || (name === 'workdir' && isOfWorkspace)) return null;
        return (
          <span key={name}>
            {word} {value}
          </span>
        );
      })}
    </Group>
  );
}
