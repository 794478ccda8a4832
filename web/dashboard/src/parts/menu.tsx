import { ActionIcon, Menu, type ActionIconProps } from '@mantine/core';
import { IconDots, type TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface MoreMenuProps extends ActionIconProps {
  /** The name of the button, such as "Actions of lab demo". */
  readonly label: string;
  readonly children: ReactNode;
}

/** A menu behind a button with three dots. */
export function MoreMenu({ label, children, ...rest }: MoreMenuProps) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={label} {...rest}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

interface EntryProps {
  readonly Icon: TablerIcon;
  readonly children: ReactNode;
  readonly isDangerous?: boolean;
  readonly disabled?: boolean;
  readonly onClick?: () => void;
  /** A path of the page. */
  readonly to?: string;
  /** A file of the service, and its name for the download. */
  readonly href?: string;
  readonly download?: string;
}

/** A menu item: an action, a link to a page, or a download. */
export function MenuEntry({ Icon, children, isDangerous = false, to, href, download, ...rest }: EntryProps) {
  const look = {
    ...rest,
    ...(isDangerous && { c: 'var(--mantine-color-red-text)' }),
    leftSection: <Icon size={16} aria-hidden />,
    children,
  };
  if (to !== undefined) return <Menu.Item {...look} component={Link} href={to} />;
  return href === undefined ? (
    <Menu.Item {...look} />
  ) : (
    <Menu.Item {...look} component="a" href={href} download={download} />
  );
}
