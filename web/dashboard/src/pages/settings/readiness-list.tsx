import { Button, Group, List, Skeleton, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { ReadinessCheck } from '../../../../../src/client/api-types.ts';
import { useReadiness } from '../../api/queries.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { checkNames } from './words.ts';

function Check({ check: { name, ok, detail } }: { readonly check: ReadinessCheck }) {
  const Icon = ok ? IconCircleCheck : IconCircleX;
  const color = ok ? 'var(--mantine-color-green-filled)' : 'var(--mantine-color-error)';
  return (
    <List.Item icon={<Icon size={18} color={color} aria-hidden style={{ marginTop: 2 }} />}>
      <Text size="sm" fw={500}>
        {checkNames[name] ?? name}: {ok ? 'in order' : 'not in order'}
      </Text>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {detail}
      </Text>
    </List.Item>
  );
}

/** Each thing that the service needs for its work. */
export function ReadinessList() {
  const readiness = useReadiness();
  const again = (): void => void readiness.refetch();
  if (readiness.isError) return <ProblemNotice error={readiness.error} onRetry={again} />;
  if (!readiness.data) return <Skeleton h={120} />;
  const { status, checks } = readiness.data;
  return (
    <Stack gap="sm">
      <Text size="sm">
        {status === 'ok' ? 'The service can do all of its work.' : 'The service cannot do all of its work.'}
      </Text>
      <List spacing={8} p={0} m={0}>
        {checks.map((check) => (
          <Check key={check.name} check={check} />
        ))}
      </List>
      <Group>
        <Button size="xs" variant="default" loading={readiness.isFetching} onClick={again}>
          Look again
        </Button>
      </Group>
    </Stack>
  );
}
