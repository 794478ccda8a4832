import { Box, Text } from '@mantine/core';
import { useMemo } from 'react';
import { readDrawing } from '../../../parts/drawing/read-topology.ts';
import { DrawingPicture } from '../../../parts/picture/drawing-picture.tsx';

interface Props {
  readonly path: string;
  readonly text: string;
}

/** A picture of the topology, or the reason why there is none. */
export function TopologyPreview({ path, text }: Props) {
  const drawn = useMemo(() => readDrawing(path, text), [path, text]);
  const why =
    drawn.kind === 'unreadable'
      ? `No picture: line ${drawn.line} is not YAML.`
      : drawn.drawing.nodes.length === 0
        ? 'No picture: the file names no nodes.'
        : undefined;
  if (drawn.kind === 'unreadable' || why !== undefined)
    return (
      <Text size="sm" c="dimmed" role="status">
        {why}
      </Text>
    );
  const { unseen } = drawn.drawing;
  return (
    <>
      <Box h={260}>
        <DrawingPicture drawing={drawn.drawing} label="Preview of the topology" />
      </Box>
      {unseen.length > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          Not in the picture: {unseen.map(({ message }) => message).join('; ')}
        </Text>
      )}
    </>
  );
}
