import { ActionIcon, Tooltip, type ActionIconProps } from '@mantine/core';
import type { TablerIcon } from '@tabler/icons-react';

interface ToolProps extends ActionIconProps {
  readonly label: string;
  /** The tooltip; the label unless something longer is given. */
  readonly tip?: string;
  readonly Icon: TablerIcon;
  readonly iconSize?: number;
  readonly onClick?: () => void;
  readonly 'aria-pressed'?: boolean;
}

/** A button with only an icon; the label is its name and its tooltip. */
export function Tool({ label, tip = label, Icon, iconSize = 16, ...rest }: ToolProps) {
  return (
    <Tooltip label={tip}>
      <ActionIcon aria-label={label} {...rest}>
        <Icon size={iconSize} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
