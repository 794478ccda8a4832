import { Divider, Menu, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconLogout, IconSettings, IconUserCircle } from '@tabler/icons-react';
import { Link } from 'wouter';
import { isOfBrowser, logOut } from '../api/login.ts';
import { useSession } from '../api/queries.ts';
import { tellError } from '../parts/tell.ts';
import { durationText } from '../parts/duration-text.ts';
import { useNow } from '../parts/time.tsx';
import classes from './frame.module.css';

/** `in 3 h 5 min`, for an expiry time. */
function Ends({ at }: { readonly at: string }) {
  const leftMs = Date.parse(at) - useNow();
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      in {durationText(Math.max(0, Math.round(leftMs / 60_000) * 60_000) || 60_000)}
    </time>
  );
}

/** Logs out. When that fails, the session continues, and an error is shown. */
export async function leave(): Promise<void> {
  await logOut().catch((error: unknown) => tellError('You are still logged in', error));
}

/** The current user; nothing on servers without user accounts. */
export function UserMenu() {
  const session = useSession().data;
  if (!session || session.user === null) return null;
  const { user, role, expiresAt, loggedInBy } = session;
  return (
    <Menu width={240} shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes['user']} aria-label={`User ${user}`}>
          <IconUserCircle size={20} stroke={1.5} aria-hidden />
          <Text size="sm" visibleFrom="lg" maw={140} truncate>
            {user}
          </Text>
          <IconChevronDown size={14} aria-hidden className={classes['wide']} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes['who']}>
          <Text fw={600} truncate>
            {user}
          </Text>
          <Text size="sm" c="dimmed">
            {role}
          </Text>
          {expiresAt !== null && (
            <Text size="sm" c="dimmed">
              login expires <Ends at={expiresAt} />
            </Text>
          )}
          {loggedInBy === 'proxy' && (
            <Text size="sm" c="dimmed">
              logged in by the proxy in front of the service
            </Text>
          )}
        </div>
        <Divider my={4} />
        <Menu.Item component={Link} href="/settings" leftSection={<IconSettings size={16} aria-hidden />}>
          Settings
        </Menu.Item>
        {isOfBrowser(loggedInBy) && (
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void leave()}>
            Log out
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
