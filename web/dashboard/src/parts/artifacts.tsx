import { Anchor, Button, Code, Group, ScrollArea, Stack, Table, Text } from '@mantine/core';
import { IconDownload, IconEye, IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';
import type { Artifact, Job } from '../../../../src/client/api-types.ts';
import { useArtifacts, useArtifactText } from '../api/queries.ts';
import { addressOf, artifactPath } from '../api/service.ts';
import { ProblemNotice } from './problem-notice.tsx';
import { sizeText } from './size-text.ts';
import { Age } from './time.tsx';
import { Columns } from './columns.tsx';
import { Loading } from './loading.tsx';
import { Tool } from './tool.tsx';

/** A browser shows more text only slowly. */
const shownBytes = 1024 * 1024;

function ArtifactText({ job, path }: { readonly job: string; readonly path: string }) {
  const { data, error, refetch } = useArtifactText(job, path);
  if (error)
    return <ProblemNotice error={error} title="The file cannot be read" onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading h={80} />;
  return (
    <ScrollArea.Autosize
      mah={320}
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': `Contents of ${path}` }}
    >
      <Code block>{data}</Code>
    </ScrollArea.Autosize>
  );
}

interface RowProps {
  readonly job: Job;
  readonly artifact: Artifact;
  readonly isShown: boolean;
  readonly onShow: () => void;
}

function ArtifactRow({ job, artifact: { path, size, modifiedAt }, isShown, onShow }: RowProps) {
  // A running job may still change it.
  const isReadable = job.finishedAt !== null && size <= shownBytes;
  return (
    <>
      <Table.Tr>
        <Table.Td style={{ overflowWrap: 'anywhere' }}>
          <Group gap={4} wrap="nowrap" justify="space-between">
            <Anchor href={addressOf(artifactPath(job.id, path))} download={path.split('/').at(-1)}>
              {path}
            </Anchor>
            {isReadable && (
              <Tool
                label={isShown ? `Hide ${path}` : `Show ${path}`}
                Icon={isShown ? IconEyeOff : IconEye}
                onClick={onShow}
              />
            )}
          </Group>
        </Table.Td>
        <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
          {sizeText(size)}
        </Table.Td>
        <Table.Td ta="right">
          <Age at={modifiedAt} />
        </Table.Td>
      </Table.Tr>
      {isShown && (
        <Table.Tr>
          <Table.Td colSpan={3} maw={0}>
            <ArtifactText job={job.id} path={path} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

export function Artifacts({ job }: { readonly job: Job }) {
  const { data, error, isPending, refetch } = useArtifacts(job.id, job.state !== 'queued');
  const [shown, show] = useState<string>();
  if (error)
    return (
      <ProblemNotice error={error} title="The artifacts cannot be listed" onRetry={() => void refetch()} />
    );
  if (isPending && job.state !== 'queued') return <Loading h={80} />;
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
            {artifacts.map((artifact) => (
              <ArtifactRow
                key={artifact.path}
                job={job}
                artifact={artifact}
                isShown={shown === artifact.path}
                onShow={() => show(shown === artifact.path ? undefined : artifact.path)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
