import { Alert } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';

/** Why the service cannot change the users file; nothing if it can. */
export function ReadOnlyNotice({ title, why }: { readonly title: string; readonly why: string | null }) {
  if (why === null) return null;
  return (
    <Alert color="blue" variant="light" icon={<IconInfoCircle aria-hidden />} title={title}>
      <span style={{ overflowWrap: 'anywhere' }}>{why}</span>
    </Alert>
  );
}
