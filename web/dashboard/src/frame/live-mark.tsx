import { Button, Popover, Stack, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconCircleFilled, IconLoader, IconPlugConnectedX, type TablerIcon } from '@tabler/icons-react';
import { live, tryNow } from '../api/live.ts';
import { useStore } from '../api/store.ts';
import { durationText } from '../parts/duration-text.ts';
import { useNow } from '../parts/time.tsx';
import classes from './frame.module.css';

type Kind = ReturnType<typeof live.get>['kind'];

const looks: Readonly<
  Record<
    Kind,
    { readonly word: string; readonly color: string; readonly Icon: TablerIcon; readonly size: number }
  >
> = {
  live: { word: 'live', color: 'var(--mantine-color-green-filled)', Icon: IconCircleFilled, size: 9 },
  connecting: { word: 'connecting', color: 'var(--mantine-color-dimmed)', Icon: IconLoader, size: 15 },
  away: {
    word: 'offline',
    color: 'var(--mantine-color-red-light-color)',
    Icon: IconPlugConnectedX,
    size: 16,
  },
};

/** The time since the connection was lost, in whole seconds. */
export function AwayFor({ sinceMs }: { readonly sinceMs: number }) {
  const seconds = Math.max(1, Math.round((useNow() - sinceMs) / 1000));
  return <>{seconds < 10 ? `${seconds} s` : durationText(seconds * 1000)}</>;
}

function Explained() {
  const state = useStore(live);
  if (state.kind === 'live')
    return (
      <Text size="sm">This page shows changes on the server at once. You do not have to reload it.</Text>
    );
  if (state.kind === 'connecting') return <Text size="sm">The page is connecting to the service.</Text>;
  return (
    <Stack gap="xs" align="start">
      <Text size="sm">
        No connection since <strong>{new Date(state.sinceMs).toLocaleTimeString()}</strong>. The page shows
        the state of that time, and keeps trying to reconnect.
      </Text>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {state.why}
      </Text>
      <Button size="xs" variant="default" onClick={tryNow}>
        Try now
      </Button>
    </Stack>
  );
}

/** Shows whether the data of the page is up to date. */
export function LiveMark() {
  const state = useStore(live);
  const { word, color, Icon, size } = looks[state.kind];
  return (
    <>
      <Popover width={280} position="bottom-end" withArrow shadow="md" trapFocus>
        <Popover.Target>
          <UnstyledButton className={classes['live']} aria-label={`Connection: ${word}`}>
            <Icon size={size} color={color} aria-hidden />
            <Text size="sm" c={state.kind === 'away' ? color : 'dimmed'} visibleFrom="xs">
              {word}
            </Text>
            {state.kind === 'away' && (
              <Text size="sm" c={color} className="numbers" visibleFrom="sm">
                <AwayFor sinceMs={state.sinceMs} />
              </Text>
            )}
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown>
          <Explained />
        </Popover.Dropdown>
      </Popover>
      <VisuallyHidden role="status">
        {state.kind === 'away' ? 'The connection to the service is lost.' : ''}
      </VisuallyHidden>
    </>
  );
}
