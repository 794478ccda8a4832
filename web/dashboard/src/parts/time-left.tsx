import { Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconHourglassEmpty } from '@tabler/icons-react';
import { durationText, useNow } from './time.tsx';

/** Below that, whoever works in the lab wants to know. */
const soonMs = 15 * 60_000;

/** How long a lab has: counts down, and warns when it is little. Null is no end. */
export function TimeLeft({ until }: { readonly until: string | null }) {
  const now = useNow();
  if (until === null)
    return (
      <Text inherit span c="dimmed">
        no end
      </Text>
    );
  const ms = Date.parse(until) - now;
  const isSoon = ms < soonMs;
  const Icon = isSoon ? IconAlertTriangle : IconHourglassEmpty;
  // Seconds jump about, and say nothing as long as there are hours.
  const text = ms <= 0 ? 'over' : `${durationText(Math.max(1000, Math.floor(ms / 1000) * 1000))} left`;
  return (
    <Group
      component="span"
      gap={4}
      wrap="nowrap"
      display="inline-flex"
      title={`until ${new Date(until).toLocaleString()}`}
      {...(isSoon && { c: 'var(--mantine-color-orange-text)', fw: 600 })}
    >
      <Icon size={14} aria-hidden />
      <time dateTime={until} style={{ whiteSpace: 'nowrap' }}>
        {text}
      </time>
    </Group>
  );
}
