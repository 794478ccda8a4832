import { Anchor, Button, Text } from '@mantine/core';
import { IconAlertTriangle, IconPlugConnectedX, IconRefresh, type TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { hasNewBuild } from '../api/build.ts';
import { live, tryNow } from '../api/live.ts';
import { useReadiness } from '../api/queries.ts';
import { useStore } from '../api/store.ts';
import { useNow } from '../parts/time.tsx';
import { AwayFor } from './live-mark.tsx';
import classes from './frame.module.css';

/** A restarting service is back sooner, and needs no message. */
const worthSayingMs = 2_000;

interface BarProps {
  readonly Icon: TablerIcon;
  readonly tone: 'red' | 'orange' | 'blue';
  readonly children: ReactNode;
  readonly action?: ReactNode;
  /** Whether the text counts seconds: a screen reader would announce each of them. */
  readonly counts?: boolean;
}

function Bar({ Icon, tone, children, action, counts = false }: BarProps) {
  return (
    <div className={classes['bar']} data-tone={tone} role={counts ? undefined : 'status'}>
      <Icon size={18} aria-hidden />
      <Text size="sm" className={classes['said']}>
        {children}
      </Text>
      {action}
    </div>
  );
}

function LostBar() {
  const state = useStore(live);
  const now = useNow();
  if (state.kind !== 'away' || now - state.sinceMs < worthSayingMs) return null;
  return (
    <Bar
      Icon={IconPlugConnectedX}
      tone="red"
      counts
      action={
        <Button size="compact-sm" variant="default" onClick={tryNow}>
          Try now
        </Button>
      }
    >
      No connection to the service for{' '}
      <span className="numbers">
        <AwayFor sinceMs={state.sinceMs} />
      </span>
      : this page shows the state of {new Date(state.sinceMs).toLocaleTimeString()}.
    </Bar>
  );
}

function BuildBar() {
  if (!useStore(hasNewBuild)) return null;
  return (
    <Bar
      Icon={IconRefresh}
      tone="blue"
      action={
        <Button size="compact-sm" onClick={() => location.reload()}>
          Reload
        </Button>
      }
    >
      The service was updated: a newer version of this page is available.
    </Bar>
  );
}

function ReadinessBar() {
  const failed = useReadiness().data?.checks.find(({ ok }) => !ok);
  const isLive = useStore(live).kind === 'live';
  if (!failed || !isLive) return null;
  return (
    <Bar
      Icon={IconAlertTriangle}
      tone="orange"
      action={
        <Anchor component={Link} href="/settings" size="sm" c="inherit" underline="always">
          Details
        </Anchor>
      }
    >
      The service is not ready: {failed.detail}
    </Bar>
  );
}

/** Messages that concern all pages, above the page. */
export function Bars() {
  return (
    <div className={classes['bars']}>
      <BuildBar />
      <LostBar />
      <ReadinessBar />
    </div>
  );
}
