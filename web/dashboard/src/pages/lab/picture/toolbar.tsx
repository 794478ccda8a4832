import { ActionIcon, Group, Menu, Select, Tooltip, type ActionIconProps } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  IconArrowsMaximize,
  IconArrowsMinimize,
  IconDownload,
  IconFocusCentered,
  IconRefresh,
  IconSearch,
  IconZoomIn,
  IconZoomOut,
  type TablerIcon,
} from '@tabler/icons-react';
import { useReactFlow } from '@xyflow/react';
import type { ReactNode } from 'react';
import { savePicture } from './save-picture.ts';
import classes from './picture.module.css';

export const fitting = { padding: 0.08, maxZoom: 1.25 };

interface ToolProps extends ActionIconProps {
  readonly label: string;
  readonly Icon: TablerIcon;
  readonly onClick?: () => void;
}

function Tool({ label, Icon, onClick, ...rest }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} onClick={onClick} {...rest}>
        <Icon size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

async function save(lab: string, kind: 'svg' | 'png'): Promise<void> {
  try {
    await savePicture(lab, kind);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    notifications.show({ color: 'red', title: 'The picture was not saved', message });
  }
}

function SaveMenu({ lab }: { readonly lab: string }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Save the picture">
          <IconDownload size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void save(lab, 'svg')}>Save as SVG</Menu.Item>
        <Menu.Item onClick={() => void save(lab, 'png')}>Save as PNG</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface ToolbarProps {
  readonly lab: string;
  readonly names: readonly string[];
  readonly onFind: (name: string) => void;
  readonly isWide: boolean;
  readonly onWide: () => void;
  /** Undefined where there is nothing to forget, or whoever looks may not. */
  readonly onForget: (() => void) | undefined;
  readonly children: ReactNode;
}

export function Toolbar({ lab, names, onFind, isWide, onWide, onForget, children }: ToolbarProps) {
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  return (
    <Group className={classes['bar']} gap={4} wrap="nowrap" role="toolbar" aria-label="Picture">
      <Select
        aria-label="Find a node"
        placeholder="Find a node"
        size="xs"
        w={160}
        miw={90}
        searchable
        // Of thousands, a list of the first ones is enough: one types on.
        limit={50}
        leftSection={<IconSearch size={14} aria-hidden />}
        data={names}
        value={null}
        onChange={(name) => name !== null && onFind(name)}
        nothingFoundMessage="No such node"
        comboboxProps={{ width: 220, position: 'bottom-start' }}
      />
      <Group gap={0} ml="auto" wrap="nowrap">
        {children}
        <Tool label="Zoom out" Icon={IconZoomOut} onClick={() => void zoomOut()} />
        <Tool label="Zoom in" Icon={IconZoomIn} onClick={() => void zoomIn()} />
        <Tool label="Fit the picture" Icon={IconFocusCentered} onClick={() => void fitView(fitting)} />
        {onForget && <Tool label="Lay out anew" Icon={IconRefresh} onClick={onForget} />}
        <SaveMenu lab={lab} />
        <Tool
          label={isWide ? 'As large as before' : 'As large as the window'}
          Icon={isWide ? IconArrowsMinimize : IconArrowsMaximize}
          onClick={onWide}
        />
      </Group>
    </Group>
  );
}
