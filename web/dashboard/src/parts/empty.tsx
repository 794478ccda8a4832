import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly children?: ReactNode;
  /** Whether this is the whole page: the title is its heading then. */
  readonly isPage?: boolean;
}

/** A placeholder for missing content, with the next step. */
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
