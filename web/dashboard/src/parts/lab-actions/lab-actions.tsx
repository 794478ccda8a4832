import { Button, Group, Menu } from '@mantine/core';
import {
  IconCalendarTime,
  IconCamera,
  IconChevronDown,
  IconClockPlus,
  IconGitCompare,
  IconDownload,
  IconFileSettings,
  IconInfinity,
  IconList,
  IconPlayerStop,
  IconRefresh,
  IconReportAnalytics,
  IconSettingsCog,
  IconTemplate,
  type IconProps,
} from '@tabler/icons-react';
import { Suspense, useState, type ComponentType, type ReactNode } from 'react';
import type { Lab } from '../../../../../src/client/api-types.ts';
import { useMay } from '../../api/queries.ts';
import { late } from '../late.ts';
import { useNow } from '../time.tsx';
import type { ConfigurationAction } from './configuration-dialogs.tsx';
import { labText } from '../lab-title.ts';
import { momentText, quickEnds } from './lab-words.ts';
import type { SnapshotAction } from './snapshot-dialogs.tsx';
import { RestartDialog, StopDialog, UntilDialog } from './lab-dialogs.tsx';
import { useLease, useLongestLife } from './use-lab-actions.ts';
import { ReportItems } from './report-items.tsx';
import { MoreMenu, MenuEntry } from '../menu.tsx';

const ConfigurationDialog = late(async () => ({
  default: (await import('./configuration-dialogs.tsx')).ConfigurationDialog,
}));

const SnapshotDialog = late(async () => ({
  default: (await import('./snapshot-dialogs.tsx')).SnapshotDialog,
}));

type Asked = 'stop' | 'restart' | 'until' | ConfigurationAction | SnapshotAction | undefined;

function LeaseItems({ lab, onUntil }: { readonly lab: Lab; readonly onUntil: () => void }) {
  const lease = useLease(lab, true);
  const now = useNow();
  const longestMs = useLongestLife(lab);
  return (
    <>
      {quickEnds(lab.expiresAt, now, longestMs).map(({ text, at, change }) => (
        <MenuEntry key={text} Icon={IconClockPlus} onClick={() => lease.mutate(change)}>
          {text} ({momentText(at)})
        </MenuEntry>
      ))}
      <MenuEntry Icon={IconCalendarTime} onClick={onUntil}>
        Until a time…
      </MenuEntry>
      {longestMs === Number.POSITIVE_INFINITY && (
        <MenuEntry
          Icon={IconInfinity}
          disabled={lab.expiresAt === null}
          onClick={() => lease.mutate({ expiresAt: null })}
        >
          No end
        </MenuEntry>
      )}
    </>
  );
}

interface LayoutProps {
  readonly lab: Lab;
  readonly may: (name: string) => boolean;
  readonly ask: (what: Asked) => void;
}

const configurationItems = [
  { action: 'collect', label: 'Collect configurations…', Icon: IconDownload },
  { action: 'initial', label: 'Configure again…', Icon: IconSettingsCog },
  { action: 'config', label: 'Deploy a template…', Icon: IconTemplate },
] as const;

/** Those that the lab CLI has, and the user may start. */
const configurationsFor = (may: LayoutProps['may']) => configurationItems.filter(({ action }) => may(action));

function ConfigurationItems({ may, ask }: Pick<LayoutProps, 'may' | 'ask'>) {
  return configurationsFor(may).map(({ action, label, Icon }) => (
    <MenuEntry key={action} Icon={Icon} onClick={() => ask(action)}>
      {label}
    </MenuEntry>
  ));
}

/** Hosts that are older than this page have no snapshots. */
const mayKeep = ({ may }: Partial<Pick<Lab, 'may'>>): boolean => may?.includes('keepLab') === true;

function SnapshotItems({ ask }: Pick<LayoutProps, 'ask'>) {
  return (
    <>
      <MenuEntry Icon={IconCamera} onClick={() => ask('keep')}>
        Keep a snapshot…
      </MenuEntry>
      <MenuEntry Icon={IconGitCompare} onClick={() => ask('compare')}>
        Changes since the last one…
      </MenuEntry>
      <MenuEntry Icon={IconList} to="/snapshots">
        All snapshots
      </MenuEntry>
    </>
  );
}

/** A lab that is starting or stopping can only be stopped. */
const isSettled = ({ state }: Lab): boolean => state !== 'starting' && state !== 'stopping';

function CompactActions({ lab, may, ask }: LayoutProps) {
  return (
    <MoreMenu label={`Actions of lab ${labText(lab)}`}>
      {isSettled(lab) && may('changeLab') && (
        <>
          <Menu.Label>Lease</Menu.Label>
          <LeaseItems lab={lab} onUntil={() => ask('until')} />
          <Menu.Divider />
        </>
      )}
      {isSettled(lab) && configurationsFor(may).length > 0 && (
        <>
          <Menu.Label>Configuration</Menu.Label>
          <ConfigurationItems may={may} ask={ask} />
          <Menu.Divider />
        </>
      )}
      {isSettled(lab) && mayKeep(lab) && (
        <>
          <Menu.Label>Snapshots</Menu.Label>
          <SnapshotItems ask={ask} />
          <Menu.Divider />
        </>
      )}
      {isSettled(lab) && may('restart') && (
        <MenuEntry Icon={IconRefresh} onClick={() => ask('restart')}>
          Restart…
        </MenuEntry>
      )}
      {may('down') && (
        <MenuEntry Icon={IconPlayerStop} isDangerous onClick={() => ask('stop')}>
          Stop…
        </MenuEntry>
      )}
    </MoreMenu>
  );
}

interface MenuButtonProps {
  readonly label: string;
  readonly Icon: ComponentType<IconProps>;
  /** The entries. */
  readonly children: ReactNode;
}

function MenuButton({ label, Icon, children }: MenuButtonProps) {
  return (
    <Menu>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

function WideActions({ lab, may, ask }: LayoutProps) {
  return (
    <Group gap="xs">
      {isSettled(lab) && may('changeLab') && (
        <MenuButton label={lab.expiresAt === null ? 'Set an end' : 'Extend'} Icon={IconClockPlus}>
          <LeaseItems lab={lab} onUntil={() => ask('until')} />
        </MenuButton>
      )}
      {isSettled(lab) && configurationsFor(may).length > 0 && (
        <MenuButton label="Configuration" Icon={IconFileSettings}>
          <ConfigurationItems may={may} ask={ask} />
        </MenuButton>
      )}
      {isSettled(lab) && mayKeep(lab) && (
        <MenuButton label="Snapshots" Icon={IconCamera}>
          <SnapshotItems ask={ask} />
        </MenuButton>
      )}
      {lab.cli === 'netlab' && may('getLabReport') && (
        <MenuButton label="Reports" Icon={IconReportAnalytics}>
          <ReportItems lab={lab} />
        </MenuButton>
      )}
      {isSettled(lab) && may('restart') && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconRefresh size={16} aria-hidden />}
          onClick={() => ask('restart')}
        >
          Restart
        </Button>
      )}
      {may('down') && (
        <Button
          variant="light"
          color="red"
          size="xs"
          leftSection={<IconPlayerStop size={16} aria-hidden />}
          onClick={() => ask('stop')}
        >
          Stop
        </Button>
      )}
    </Group>
  );
}

/**
 * Stops, restarts and configures a lab, collects its configurations, and changes its lease. Nothing for users who may only read it. `isCompact` puts all actions behind
 * one button, for table rows.
 */
export function LabActions({ lab, isCompact = false }: { readonly lab: Lab; readonly isCompact?: boolean }) {
  const may = useMay(lab);
  const [asked, ask] = useState<Asked>();
  if (!['changeLab', 'restart', 'down', 'collect', 'initial', 'config'].some(may)) return null;
  const close = (): void => ask(undefined);
  return (
    <>
      {isCompact ? (
        <CompactActions lab={lab} may={may} ask={ask} />
      ) : (
        <WideActions lab={lab} may={may} ask={ask} />
      )}
      <StopDialog lab={lab} isOpen={asked === 'stop'} onClose={close} />
      <RestartDialog lab={lab} isOpen={asked === 'restart'} onClose={close} />
      {asked === 'until' && <UntilDialog lab={lab} onClose={close} />}
      {(asked === 'collect' || asked === 'initial' || asked === 'config') && (
        <Suspense>
          <ConfigurationDialog lab={lab} action={asked} onClose={close} />
        </Suspense>
      )}
      {(asked === 'keep' || asked === 'compare') && (
        <Suspense>
          <SnapshotDialog lab={lab} action={asked} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
