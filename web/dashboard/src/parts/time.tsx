import { Text, Group } from '@mantine/core';
import { IconAlertTriangle, IconHourglassEmpty } from '@tabler/icons-react';
import type { Job } from '../../../../src/client/api-types.ts';
import { serviceNow } from '../api/clock.ts';
import { Store, useStore } from '../api/store.ts';
import { durationText } from './duration-text.ts';

/** One clock for all counters of the page, in ms since 1970: that of the service, which also sets the times of events. */
const clock = new Store(serviceNow());
setInterval(() => clock.set(serviceNow()), 1000);

export const useNow = (): number => useStore(clock);

/** The run time of a job, so far or in total; nothing before its start. */
export function RunTime({ job: { startedAt, finishedAt } }: { job: Pick<Job, 'startedAt' | 'finishedAt'> }) {
  if (startedAt === null) return null;
  if (finishedAt === null) return <Since at={startedAt} />;
  return durationText(Date.parse(finishedAt) - Date.parse(startedAt));
}

function Since({ at }: { at: string }) {
  return durationText(useNow() - Date.parse(at));
}

/** The age of a time, with the exact time in its tooltip. */
export function Age({ at }: { readonly at: string }) {
  const now = useNow();
  const ms = now - Date.parse(at);
  const date = new Date(at);
  return (
    <Text
      component="time"
      inherit
      dateTime={at}
      title={date.toLocaleString()}
      style={{ whiteSpace: 'nowrap' }}
    >
      {ms < 10_000 ? 'just now' : `${durationText(ms).split(' ').slice(0, 2).join(' ')} ago`}
    </Text>
  );
}

/** From this time on, users of the lab are warned. */
const soonMs = 15 * 60_000;

/** The time until a lab ends, as a countdown with a warning; null is no end. */
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
  // Seconds would change all the time, and do not matter while hours are left.
  const text = ms <= 0 ? 'expired' : `${durationText(Math.max(1000, Math.floor(ms / 1000) * 1000))} left`;
  return (
    <Group
      component="span"
      gap={4}
      wrap="nowrap"
      display="inline-flex"
      style={{ verticalAlign: 'bottom' }}
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
