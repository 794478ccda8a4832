import { Button, Group, Stack, Table, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { Snapshot } from '../../../../../src/client/api-types.ts';
import { useIsCluster, useMayOperate, useSnapshots } from '../../api/queries.ts';
import { Columns } from '../../parts/columns.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Searched } from '../../parts/filters/searched.tsx';
import { SnapshotLink } from '../../parts/links.tsx';
import { Loading } from '../../parts/loading.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import quiet from '../../parts/quiet-table.module.css';
import { sizeText } from '../../parts/size-text.ts';
import { Age } from '../../parts/time.tsx';
import { Incomplete } from './incomplete.tsx';
import { labOf } from './lab-of.ts';
import { SnapshotActions } from './snapshot-actions.tsx';

const cellsOf = (snapshot: Snapshot, columns: { readonly owner: boolean; readonly host: boolean }) =>
  [
    { name: 'Lab CLI', text: snapshot.cli, isWide: true },
    { name: 'Nodes', text: String(snapshot.nodes.length), isWide: true, isNumber: true },
    { name: 'Size', text: sizeText(snapshot.size), isWide: true, isNumber: true },
    { name: 'Made', text: <Age at={snapshot.createdAt} /> },
    columns.owner && { name: 'Owner', text: snapshot.owner ?? '–', isWide: true },
    columns.host && { name: 'Host', text: snapshot.host, isWide: true },
  ].filter((cell) => cell !== false);

function SnapshotTable({ snapshots }: { readonly snapshots: readonly Snapshot[] }) {
  const columns = { host: useIsCluster(), owner: snapshots.some(({ owner }) => owner !== null) };
  const heads = snapshots.slice(0, 1).flatMap((snapshot) => cellsOf(snapshot, columns));
  const namesOf = (some: typeof heads): string[] => some.map(({ name }) => name);
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table verticalSpacing="xs" highlightOnHover className={quiet['table'] ?? ''} aria-label="Snapshots">
        <Columns
          names={['Name', 'Lab', ...namesOf(heads)]}
          numbers={namesOf(heads.filter(({ isNumber = false }) => isNumber))}
          wide={namesOf(heads.filter(({ isWide = false }) => isWide))}
          hasActions
        />
        <Table.Tbody>
          {snapshots.map((snapshot) => (
            <Table.Tr key={`${snapshot.host ?? ''} ${snapshot.name}`}>
              <Table.Td>
                <Group gap={6}>
                  <SnapshotLink snapshot={snapshot} fw={500} style={{ overflowWrap: 'anywhere' }} />
                  {!snapshot.complete && <Incomplete />}
                </Group>
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{labOf(snapshot)}</Table.Td>
              {cellsOf(snapshot, columns).map(({ name, text, isWide = false, isNumber = false }) => (
                <Table.Td
                  key={name}
                  {...(isNumber && { ta: 'right' as const })}
                  {...(isWide && { visibleFrom: 'xs' as const })}
                >
                  {text}
                </Table.Td>
              ))}
              <Table.Td ta="right">
                <SnapshotActions snapshot={snapshot} isCompact />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function List() {
  const mayOperate = useMayOperate();
  const { data, error, refetch } = useSnapshots();
  if (data === undefined && error)
    return (
      <ProblemNotice error={error} title="The snapshots cannot be shown" onRetry={() => void refetch()} />
    );
  if (data === undefined) return <Loading h="30vh" />;
  if (data.length > 0)
    return (
      <Searched
        items={data}
        what="snapshots"
        placeholder="Name, lab, owner"
        wordsOf={(snapshot) => [snapshot.name, labOf(snapshot), snapshot.owner, snapshot.cli]}
      >
        {(found) => <SnapshotTable snapshots={found} />}
      </Searched>
    );
  return (
    <Empty title="No snapshots yet">
      A snapshot keeps a lab that runs: its files, and the configuration of each node. It stays when the lab
      is gone, and starts it again, also many times.
      {mayOperate && (
        <>
          {' '}
          To keep one, open a lab and choose “Keep a snapshot…” in “Snapshots”.
          <Group justify="center" mt="md">
            <Button component={Link} href="/">
              To the labs
            </Button>
          </Group>
        </>
      )}
    </Empty>
  );
}

export default function SnapshotsPage() {
  return (
    <Stack mih="70vh">
      <Title order={1} size="h2">
        Snapshots
      </Title>
      <List />
    </Stack>
  );
}
