/** Input besides the keyboard: keys that a keyboard on a screen lacks, and the same input for all terminals. */
import { Button, Group, Switch } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect } from 'react';
import { useStore } from '../../../../api/store.ts';
import { keptOf } from '../kept.ts';
import { screenKeys, type TerminalSession } from './terminal-session.ts';

const names: Readonly<Record<string, string>> = { '←': 'Left', '↓': 'Down', '↑': 'Up', '→': 'Right' };

/** A row of keys, for phones and tablets. */
export function ScreenKeys({ session }: { readonly session: TerminalSession }) {
  const isTouched = useMediaQuery('(max-width: 48em), (pointer: coarse)', undefined, {
    getInitialValueInEffect: false,
  });
  const isControlHeld = useStore(session.isControlHeld);
  if (!isTouched) return null;
  return (
    <Group gap={4} role="group" aria-label="Keys">
      <Button
        size="compact-sm"
        variant={isControlHeld ? 'light' : 'default'}
        aria-pressed={isControlHeld}
        onClick={() => {
          session.isControlHeld.set(!isControlHeld);
          session.focus();
        }}
      >
        Ctrl
      </Button>
      {screenKeys.map((key) => (
        <Button
          key={key}
          size="compact-sm"
          variant="default"
          aria-label={names[key] ?? key}
          onClick={() => session.press(key)}
        >
          {key}
        </Button>
      ))}
    </Group>
  );
}

interface SyncProps {
  readonly lab: string;
  readonly shown: TerminalSession;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** Types the input of the shown terminal into all other open terminals of the lab, too. */
export function SyncInput({ lab, shown, isOn, onChange }: SyncProps) {
  const others = useStore(keptOf(lab).terminals).filter((session) => session !== shown);
  useEffect(() => {
    const { terminals } = keptOf(lab);
    shown.whenTyped(
      isOn
        ? (bytes) => {
            for (const session of terminals.get()) if (session !== shown) session.type(bytes);
          }
        : undefined,
    );
    return () => shown.whenTyped(undefined);
  }, [lab, shown, isOn]);
  if (others.length === 0) return null;
  return (
    <Switch
      size="xs"
      label={isOn ? `Sync input: also to ${others.map(({ name }) => name).join(', ')}` : 'Sync input'}
      checked={isOn}
      onChange={(event) => {
        onChange(event.currentTarget.checked);
        shown.focus();
      }}
    />
  );
}
