import { Progress, Stack, Text } from '@mantine/core';
import type { DiskUse } from '../../../../../src/client/api-types.ts';
import { sizeText } from '../../parts/size-text.ts';
import { Part } from '../../parts/part.tsx';

type FileSystem = DiskUse['fileSystems'][number];

function Space({ fileSystem: { directory, free, total } }: { readonly fileSystem: FileSystem }) {
  const isKnown = free !== null && total !== null && total > 0;
  return (
    <Stack gap={4}>
      <Text size="sm" className="numbers">
        {isKnown
          ? `${sizeText(total - free)} of ${sizeText(total)} used, ${sizeText(free)} free`
          : 'The free space is unknown.'}
      </Text>
      {isKnown && <Progress value={((total - free) / total) * 100} aria-hidden />}
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {directory}
      </Text>
    </Stack>
  );
}

/** The used and free space of each file system that the service writes to. */
export function FileSystems({ fileSystems }: { readonly fileSystems: readonly FileSystem[] }) {
  return (
    <Part title="Disk space">
      {fileSystems.map((fileSystem) => (
        <Space key={fileSystem.directory} fileSystem={fileSystem} />
      ))}
    </Part>
  );
}
