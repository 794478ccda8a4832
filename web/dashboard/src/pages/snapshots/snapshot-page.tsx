import { Alert, Anchor, Breadcrumbs, Code, Group, List, Stack, Table, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import type { Snapshot } from '../../../../../src/client/api-types.ts';
import { useSnapshots } from '../../api/queries.ts';
import { Columns } from '../../parts/columns.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Part } from '../../parts/part.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { ShareSnapshot } from '../../parts/shares/share-buttons.tsx';
import { sharesText } from '../../parts/shares-text.ts';
import { sizeText } from '../../parts/size-text.ts';
import { Age } from '../../parts/time.tsx';
import { useAddress } from '../../parts/use-address.ts';
import { labOf } from './lab-of.ts';
import { SnapshotActions } from './snapshot-actions.tsx';

function Facts({ snapshot }: { readonly snapshot: Snapshot }) {
  const { cli, owner, host, createdAt, files, size } = snapshot;
  const facts = [
    `lab ${labOf(snapshot)}`,
    cli,
    owner !== null && `of ${owner}`,
    <span key="made">
      made <Age at={createdAt} />
    </span>,
    `${files.toLocaleString('en')} ${files === 1 ? 'file' : 'files'}, ${sizeText(size)}`,
    host !== null && `on ${host}`,
    sharesText(snapshot, false) ?? false,
  ].filter((fact) => fact !== false);
  return (
    <Text component="div" size="sm" c="dimmed" className="numbers">
      <Breadcrumbs separator="·" separatorMargin={6} style={{ flexWrap: 'wrap' }}>
        {facts}
      </Breadcrumbs>
    </Text>
  );
}

/** The files that no workspace can have. */
function LeftOut({ snapshot: { leftOut, leftOutCount } }: { readonly snapshot: Snapshot }) {
  if (leftOutCount === 0) return null;
  const more = leftOutCount - leftOut.length;
  return (
    <Alert
      color="orange"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={`${leftOutCount} ${leftOutCount === 1 ? 'file is' : 'files are'} not in it`}
    >
      Links, special files, and files whose names differ in capitals alone cannot be kept:
      <List size="sm">
        {leftOut.map((file) => (
          <List.Item key={file}>
            <Code style={{ overflowWrap: 'anywhere' }}>{file}</Code>
          </List.Item>
        ))}
        {more > 0 && <List.Item>and {more} more</List.Item>}
      </List>
    </Alert>
  );
}

function keptText({ kept, size, reason }: Snapshot['nodes'][number]): string {
  switch (kept) {
    case 'configuration':
      return sizeText(size ?? 0);
    case 'none':
      return 'none: the node has no configuration of its own';
    case 'failed':
      return `missing: ${reason ?? 'it could not be read'}`;
  }
}

function Nodes({ nodes }: Pick<Snapshot, 'nodes'>) {
  return (
    <Part title={`Configurations of the nodes (${nodes.length})`}>
      <Table.ScrollContainer minWidth={0}>
        <Table verticalSpacing={6} aria-label="Nodes">
          <Columns names={['Node', 'Configuration']} />
          <Table.Tbody>
            {nodes.map((node) => (
              <Table.Tr key={node.node}>
                <Table.Td fw={500}>{node.node}</Table.Td>
                <Table.Td
                  style={{ overflowWrap: 'anywhere' }}
                  {...(node.kept === 'none' && { c: 'dimmed' })}
                  {...(node.kept === 'failed' && { c: 'var(--mantine-color-error)' })}
                >
                  {keptText(node)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Part>
  );
}

function Content({ snapshot }: { readonly snapshot: Snapshot }) {
  const [, navigate] = useLocation();
  const { name, nodes, request } = snapshot;
  return (
    <Stack>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={2}>
          <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Title>
          <Facts snapshot={snapshot} />
        </Stack>
        <Group gap="xs">
          <ShareSnapshot snapshot={snapshot} />
          <SnapshotActions snapshot={snapshot} onRemoved={() => navigate('/snapshots')} />
        </Group>
      </Group>
      <LeftOut snapshot={snapshot} />
      <Nodes nodes={nodes} />
      <Part title="Options of the start">
        <Text size="sm" c="dimmed">
          A lab from this snapshot is started with the options that the lab was started with.
        </Text>
        <Code block tabIndex={0} role="region" aria-label="Options">
          {JSON.stringify(request, undefined, 2)}
        </Code>
      </Part>
    </Stack>
  );
}

export default function SnapshotPage({ name }: { readonly name: string }) {
  const host = useAddress().get('host') ?? null;
  const { data, error, refetch } = useSnapshots();
  if (data === undefined && error)
    return (
      <ProblemNotice error={error} title="The snapshot cannot be shown" onRetry={() => void refetch()} />
    );
  if (data === undefined) return <Loading />;
  const snapshot = data.find((one) => one.name === name && (host === null || one.host === host));
  if (snapshot) return <Content snapshot={snapshot} />;
  return (
    <Empty isPage title={`Snapshot ${name} not found`}>
      <Anchor component={Link} href="/snapshots">
        To the snapshots
      </Anchor>
    </Empty>
  );
}
