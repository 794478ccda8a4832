import { ActionIcon, Alert, Button, Group, Kbd, Text, Tooltip, useComputedColorScheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import {
  IconAlertTriangle,
  IconArrowsDiagonal,
  IconArrowsDiagonalMinimize2,
  IconExternalLink,
  IconPlugConnected,
  IconPlus,
  IconRefresh,
  IconX,
} from '@tabler/icons-react';
import { useEffect, useRef, useState, useLayoutEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { useStore } from '../../../../api/store.ts';
import { Empty } from '../../../../parts/empty.tsx';
import { Tool } from '../../../../parts/tool.tsx';
import { keptOf } from '../kept.ts';
import { useNodeAddress } from '../node-address.ts';
import { ScreenKeys, SyncInput } from './terminal-input.tsx';
import { TerminalSession } from './terminal-session.ts';
import styles from './terminal.module.css';

/** The place of a terminal on the page; it follows the size of the place and the colours of the page. */
function TerminalScreen({ session, onLeave }: { session: TerminalSession; onLeave: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  const look = useComputedColorScheme('light', { getInitialValueInEffect: false });
  useLayoutEffect(() => session.wear(look), [session, look]);
  useEffect(() => session.whenLeft(onLeave));
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const remove = session.show(element);
    // A user who moves through the picture by keyboard keeps the focus there. A link to a terminal leads to the content of the page.
    const { activeElement } = document;
    const isFree = activeElement?.matches('body, #content') ?? true;
    if (isFree || element.closest('section')?.contains(activeElement)) session.focus();
    const watch = new ResizeObserver(() => session.fit());
    watch.observe(element);
    return () => {
      watch.disconnect();
      remove();
    };
  }, [session]);
  return (
    <div className={styles['screen']}>
      {/* Escape belongs to the program in the node; it must not close parts of the page. */}
      <div
        ref={place}
        className={styles['place']}
        role="presentation"
        onKeyDown={(event) => event.stopPropagation()}
      />
    </div>
  );
}

/** Opens another terminal in a node. */
function openTerminal(lab: string, node: string): TerminalSession {
  const { terminals } = keptOf(lab);
  const names = new Set(terminals.get().map(({ name }) => name));
  let name = node;
  for (let count = 2; names.has(name); count += 1) name = `${node} (${count})`;
  const session = new TerminalSession({ lab, node, name });
  terminals.set([...terminals.get(), session]);
  return session;
}

/** Ends a terminal and removes it from the list. */
function closeTerminal(lab: string, session: TerminalSession): void {
  const { terminals } = keptOf(lab);
  terminals.set(terminals.get().filter((one) => one !== session));
  session.end();
}

interface NodeName {
  readonly lab: string;
  readonly node: string;
}

/** The terminals of all nodes of the lab; a click on one of another node opens that node. */
function OpenTerminals({
  lab,
  shown,
  onShow,
  onClose,
}: {
  readonly lab: string;
  readonly shown: TerminalSession | undefined;
  readonly onShow: (session: TerminalSession) => void;
  readonly onClose: (session: TerminalSession) => void;
}) {
  const sessions = useStore(keptOf(lab).terminals);
  return (
    <Group gap={6} role="group" aria-label="Open terminals">
      {sessions.map((session) => (
        <Button.Group key={session.name}>
          <Button
            size="compact-xs"
            variant={session === shown ? 'light' : 'default'}
            aria-pressed={session === shown}
            onClick={() => onShow(session)}
          >
            {session.name}
          </Button>
          <ActionIcon
            size={22}
            variant="default"
            aria-label={`End the terminal ${session.name}`}
            onClick={() => onClose(session)}
          >
            <IconX size={12} aria-hidden />
          </ActionIcon>
        </Button.Group>
      ))}
    </Group>
  );
}

/** Why a terminal has ended, and a button to open it again. */
function TerminalEnd({ session }: { readonly session: TerminalSession }) {
  const state = useStore(session.state);
  if (state.kind === 'open') return null;
  if (state.kind === 'opening')
    return (
      <Text size="sm" c="dimmed" role="status">
        Opening a terminal in {session.node} …
      </Text>
    );
  return (
    <Alert
      color={state.wasOpen ? 'gray' : 'red'}
      variant="light"
      p="xs"
      role="alert"
      icon={state.wasOpen ? <IconPlugConnected aria-hidden /> : <IconAlertTriangle aria-hidden />}
    >
      <Group justify="space-between" gap="xs">
        <Text size="sm">{state.why}</Text>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRefresh size={14} aria-hidden />}
          onClick={() => {
            session.connect();
            session.focus();
          }}
        >
          {state.wasOpen ? 'Open again' : 'Try again'}
        </Button>
      </Group>
    </Alert>
  );
}

/** The terminal that is shown: the chosen one, else the newest. The first visit opens one. */
function useShown({ lab, node }: NodeName) {
  const [chosen, setChosen] = useState<TerminalSession>();
  const { terminals } = keptOf(lab);
  const ofNode = useStore(terminals).filter((session) => session.node === node);
  useEffect(() => {
    if (!terminals.get().some((session) => session.node === node)) openTerminal(lab, node);
  }, [lab, node, terminals]);
  const shown = ofNode.find((session) => session === chosen) ?? ofNode.at(-1);
  return [shown, setChosen] as const;
}

/** For keyboards. */
function Keys() {
  const isTouched = useMediaQuery('(pointer: coarse)', undefined, { getInitialValueInEffect: false });
  if (isTouched) return null;
  return (
    <Text size="xs" c="dimmed">
      <Kbd size="xs">Ctrl Shift Enter</Kbd> leaves the terminal, <Kbd size="xs">Ctrl Shift C</Kbd> copies,{' '}
      <Kbd size="xs">Ctrl Shift V</Kbd> pastes. All other keys go to the node, including Escape and Tab.
    </Text>
  );
}

export function TerminalTab({ lab, node }: NodeName) {
  const [shown, setChosen] = useShown({ lab, node });
  const [isLarge, setLarge] = useState(false);
  const [isSynced, setSynced] = useState(false);
  const bar = useRef<HTMLDivElement>(null);
  const address = useNodeAddress(lab);
  const [, navigate] = useLocation();
  const show = (session: TerminalSession): void => {
    setChosen(session);
    if (session.node !== node) navigate(address(session.node, 'terminal'));
    else session.focus();
  };
  const close = (session: TerminalSession): void => {
    closeTerminal(lab, session);
    bar.current?.querySelector('button')?.focus();
  };
  const sizeLabel = isLarge ? 'Normal size' : 'Fill the window';
  return (
    <div className={isLarge ? styles['large'] : styles['tab']}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="start" ref={bar}>
        <Group gap={6}>
          <OpenTerminals lab={lab} shown={shown} onShow={show} onClose={close} />
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => setChosen(openTerminal(lab, node))}
          >
            New in {node}
          </Button>
        </Group>
        {/* These buttons are higher than those on the left: align their middles. */}
        <Group gap={4} wrap="nowrap" mt={-3}>
          <Tooltip label="Open in a new window">
            <ActionIcon
              component={Link}
              href={address(node, 'terminal')}
              target="_blank"
              rel="noopener"
              aria-label="Open a terminal in a new window"
            >
              <IconExternalLink size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <Tool
            label={sizeLabel}
            Icon={isLarge ? IconArrowsDiagonalMinimize2 : IconArrowsDiagonal}
            aria-pressed={isLarge}
            onClick={() => {
              setLarge(!isLarge);
              shown?.focus();
            }}
          />
        </Group>
      </Group>
      {shown ? (
        <>
          <TerminalEnd session={shown} />
          <TerminalScreen
            key={shown.name}
            session={shown}
            onLeave={() => bar.current?.querySelector('button')?.focus()}
          />
          <ScreenKeys session={shown} />
          <SyncInput lab={lab} shown={shown} isOn={isSynced} onChange={setSynced} />
          <Keys />
        </>
      ) : (
        <Empty title="No terminal is open">
          <Button mt="md" variant="default" onClick={() => setChosen(openTerminal(lab, node))}>
            Open a terminal in {node}
          </Button>
        </Empty>
      )}
    </div>
  );
}
