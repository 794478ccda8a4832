import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly children?: ReactNode;
  /** Where it is all that the page shows: its heading is that of the page. */
  readonly isPage?: boolean;
}

/** Nothing is there: what would be here, and the way to the first one. */
export function Empty({ title, children, isPage = false }: Props) {
  return (
    <Stack align="center" gap="xs" py={64} px="md" ta="center">
      <Title order={isPage ? 1 : 2} size="h4">
        {title}
      </Title>
      <Text component="div" c="dimmed" maw={480}>
        {children}
      </Text>
    </Stack>
  );
}
