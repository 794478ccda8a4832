import { Badge } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';

/** Marks a snapshot without all files, or without the configuration of a node that has one. */
export function Incomplete() {
  return (
    <Badge
      size="sm"
      variant="outline"
      color="orange"
      tt="none"
      leftSection={<IconAlertTriangle size={11} aria-hidden />}
    >
      incomplete
    </Badge>
  );
}
