import { Anchor, Button, Group, Stack, Table, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { Job } from '../../../../../src/client/api-types.ts';
import { useArtifacts } from '../../api/queries.ts';
import { addressOf, artifactPath } from '../../api/service.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { sizeText } from '../../parts/size-text.ts';
import { Age } from '../../parts/time.tsx';
import { Columns } from '../../parts/columns.tsx';

export function Artifacts({ job }: { readonly job: Job }) {
  const { data, error, refetch } = useArtifacts(job.id, job.state !== 'queued');
  if (error)
    return (
      <ProblemNotice error={error} title="The artifacts cannot be listed" onRetry={() => void refetch()} />
    );
  const artifacts = data?.artifacts ?? [];
  if (artifacts.length === 0)
    return <Text c="dimmed">The job has no artifacts{job.finishedAt === null && ' yet'}.</Text>;
  const total = artifacts.reduce((sum, { size }) => sum + size, 0);
  return (
    <Stack gap="sm" align="start">
      <Group gap="sm">
        {['tar.gz', 'zip'].map((format) => (
          <Button
            key={format}
            component="a"
            href={addressOf(`${artifactPath(job.id)}?format=${format}`)}
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
          >
            All as {format}
          </Button>
        ))}
        <Text size="sm" c="dimmed">
          {artifacts.length} {artifacts.length === 1 ? 'file' : 'files'}, {sizeText(total)}
          {data?.truncated === true && ': the archive contains more files'}
        </Text>
      </Group>
      <Table.ScrollContainer minWidth={280} w="100%">
        <Table verticalSpacing={4}>
          <Columns names={['File', 'Size', 'Changed']} numbers={['Size', 'Changed']} />
          <Table.Tbody>
            {artifacts.map(({ path, size, modifiedAt }) => (
              <Table.Tr key={path}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  <Anchor href={addressOf(artifactPath(job.id, path))} download={path.split('/').at(-1)}>
                    {path}
                  </Anchor>
                </Table.Td>
                <Table.Td ta="right">{sizeText(size)}</Table.Td>
                <Table.Td ta="right">
                  <Age at={modifiedAt} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
