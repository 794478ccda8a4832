import { ActionIcon, Box, Group, Tabs, Text, Title } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { Suspense, useEffect, useId, useState, type KeyboardEvent } from 'react';
import type { Lab, LabTopology } from '../../../../../../src/client/api-types.ts';
import { useMay } from '../../../api/queries.ts';
import { late } from '../../../parts/late.ts';
import { Loading } from '../../../parts/loading.tsx';
import { Question } from '../../../parts/question.tsx';
import { drawnState, faultOfNode } from '../../../../../../src/labs/picture/words.ts';
import { StateBadge } from '../../../parts/state-badge.tsx';
import { FaultBadge, NodeFaults } from '../faults/node-faults.tsx';
import { hold, openIn } from './kept.ts';
import { NodeActions } from './node-actions.tsx';
import { OverviewTab } from './overview/overview-tab.tsx';
import { SaveConfiguration } from './save-configuration.tsx';
import styles from './node.module.css';

const TerminalTab = late(async () => ({
  default: (await import('./terminal/terminal-tab.tsx')).TerminalTab,
}));
const RunTab = late(async () => ({ default: (await import('./run/run-tab.tsx')).RunTab }));
const CaptureTab = late(async () => ({ default: (await import('./capture/capture-tab.tsx')).CaptureTab }));
const LogTab = late(async () => ({ default: (await import('./log/log-tab.tsx')).LogTab }));

const tabs = [
  { value: 'overview', label: 'Overview', needs: undefined },
  { value: 'terminal', label: 'Terminal', needs: 'openNodeTerminal' },
  { value: 'run', label: 'Run', needs: 'execInNode' },
  { value: 'capture', label: 'Capture', needs: 'captureInNode' },
  { value: 'log', label: 'Log', needs: undefined },
] as const;

interface NodeProps {
  readonly lab: Lab;
  readonly node: string;
  readonly topology: LabTopology | undefined;
}

function Panel({ value, lab, node, topology }: NodeProps & { readonly value: string }) {
  switch (value) {
    case 'terminal':
      return <TerminalTab lab={lab.id} node={node} />;
    case 'run':
      return <RunTab key={node} lab={lab.id} node={node} />;
    case 'capture':
      return <CaptureTab key={node} lab={lab.id} node={node} topology={topology} />;
    case 'log':
      return <LogTab key={node} lab={lab.id} node={node} />;
    default:
      return <OverviewTab lab={lab} node={node} topology={topology} />;
  }
}

/** Asks before open sessions end with the drawer, and names them. */
function AskToEnd({
  open,
  onKeep,
  onEnd,
}: {
  readonly open: readonly string[];
  readonly onKeep: () => void;
  readonly onEnd: () => void;
}) {
  return (
    <Question
      isOpen={open.length > 0}
      title="Something is still open"
      no="Keep open"
      yes="End and close"
      isDangerous
      focus="no"
      onClose={onKeep}
      onYes={onEnd}
    >
      <Text size="sm">
        {open.join(', ')} {open.length === 1 ? 'ends' : 'end'} when this is closed, with all running programs.
      </Text>
    </Question>
  );
}

function Head({
  lab,
  node,
  topology,
  titleId,
  onClose,
}: NodeProps & { titleId: string; onClose: () => void }) {
  const known = lab.nodes.find(({ name }) => name === node);
  const fault = faultOfNode(lab.faults, node);
  const device = known?.device ?? topology?.nodes.find(({ name }) => name === node)?.device;
  return (
    <Group justify="space-between" wrap="nowrap" align="start" px="md" pt="sm">
      <Group gap="xs">
        <Title order={2} size="h4" id={titleId}>
          {node}
        </Title>
        <StateBadge state={drawnState(known?.state ?? 'unknown', known?.ready)} />
        {fault && <FaultBadge fault={fault} />}
        <Text size="sm" c="dimmed">
          {[device, known?.address].filter(Boolean).join(' · ')}
        </Text>
      </Group>
      <Group gap={4} wrap="nowrap">
        <SaveConfiguration key={node} lab={lab} node={node} />
        <NodeFaults lab={lab} node={node} />
        <NodeActions lab={lab} node={node} />
        <ActionIcon aria-label={`Close ${node}`} onClick={onClose} data-autofocus>
          <IconX size={18} aria-hidden />
        </ActionIcon>
      </Group>
    </Group>
  );
}

/** A node with its tabs. */
export function NodeDrawer({
  lab,
  node,
  tab,
  onTab,
  onClose,
  topology,
}: NodeProps & {
  readonly tab: string;
  readonly onTab: (tab: string) => void;
  readonly onClose: () => void;
}) {
  const titleId = useId();
  const [open, setOpen] = useState<readonly string[]>([]);
  const may = useMay(lab);
  const offered = tabs.filter(({ needs }) => needs === undefined || may(needs));
  const shown = offered.find(({ value }) => value === tab)?.value ?? 'overview';
  useEffect(() => hold(lab.id), [lab.id]);
  const close = (): void => {
    const still = openIn(lab.id);
    if (still.length > 0) setOpen(still);
    else onClose();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Dialogs of the drawer are not inside its element, but React sends their events through it.
    const isOfDrawer = event.target instanceof Node && event.currentTarget.contains(event.target);
    if (event.key === 'Escape' && isOfDrawer && !event.defaultPrevented) close();
  };
  return (
    <Box
      component="section"
      className={styles['drawer'] ?? ''}
      aria-labelledby={titleId}
      onKeyDown={onKeyDown}
    >
      <Head lab={lab} node={node} topology={topology} titleId={titleId} onClose={close} />
      <Tabs
        value={shown}
        onChange={(value) => onTab(value ?? 'overview')}
        keepMounted={false}
        // A terminal takes the keyboard when it is shown: arrow keys only move between the tabs.
        activateTabWithKeyboard={false}
        className={styles['tabs'] ?? ''}
      >
        <Tabs.List className={styles['list'] ?? ''} aria-label={`About ${node}`}>
          {offered.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value} className={styles['tab'] ?? ''}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {offered.map(({ value }) => (
          <Tabs.Panel key={value} value={value} className={styles['panel'] ?? ''}>
            <Suspense fallback={<Loading h={160} />}>
              <Panel value={value} lab={lab} node={node} topology={topology} />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
      <AskToEnd open={open} onKeep={() => setOpen([])} onEnd={onClose} />
    </Box>
  );
}
