import { Card, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A part of the page, with its heading. */
export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Card component="section" withBorder padding="md" radius="md" aria-label={title}>
      <Stack gap="sm">
        <Title order={2} size="h5">
          {title}
        </Title>
        {children}
      </Stack>
    </Card>
  );
}
