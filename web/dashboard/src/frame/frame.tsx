import { ActionIcon, Anchor, Group, Kbd, Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconMenu2, IconSearch } from '@tabler/icons-react';
import { Suspense, useEffect, useRef, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Loading } from '../parts/loading.tsx';
import { Mark } from '../parts/mark.tsx';
import { placeOf } from '../parts/places.ts';
import { usePlaces } from '../parts/use-places.ts';
import { useArrival, useScrollKept } from './arrival.ts';
import { Bars } from './bars.tsx';
import { Failsafe } from './failsafe.tsx';
import { Keys } from './keys.tsx';
import { LiveMark } from './live-mark.tsx';
import { openOverlay } from './overlay.ts';
import { useTitleOf } from './titles.ts';
import { UserMenu } from './user-menu.tsx';
import classes from './frame.module.css';

const currentIn = (path: string, href: string) => (placeOf(path)?.href === href ? 'page' : undefined);

function WideNavigation({ path }: { readonly path: string }) {
  const places = usePlaces();
  return (
    <Group component="nav" gap="md" wrap="nowrap" aria-label="Pages" visibleFrom="md">
      {places.map(({ href, label }) => (
        <Link key={href} href={href} className={classes['place']} aria-current={currentIn(path, href)}>
          {label}
        </Link>
      ))}
    </Group>
  );
}

/** The pages in a menu, for narrow screens. */
function NarrowNavigation({ path }: { readonly path: string }) {
  const places = usePlaces();
  return (
    <Menu position="bottom-start" width={220} shadow="md">
      <Menu.Target>
        <ActionIcon size="lg" aria-label="Pages" hiddenFrom="md">
          <IconMenu2 size={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {places.map(({ href, label }) => (
          <Menu.Item
            key={href}
            component={Link}
            href={href}
            aria-current={currentIn(path, href)}
            fw={currentIn(path, href) && 600}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function SearchButton() {
  const open = (): void => openOverlay('search');
  return (
    <>
      <UnstyledButton className={classes['search']} onClick={open} visibleFrom="lg">
        <IconSearch size={15} aria-hidden />
        <Text size="sm" span>
          Search
        </Text>
        <Kbd size="xs">{navigator.userAgent.includes('Mac') ? '⌘' : 'Ctrl'} K</Kbd>
      </UnstyledButton>
      <ActionIcon size="lg" onClick={open} aria-label="Search" hiddenFrom="lg">
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
    </>
  );
}

/** The frame around each page: navigation, search, connection state and user. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const [path] = useLocation();
  const title = useTitleOf(path);
  const content = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useScrollKept();
  useArrival(path, content);
  return (
    <>
      <a
        className={classes['skip']}
        href="#content"
        onClick={(event) => {
          // A bare fragment would be resolved against the base of the page.
          event.preventDefault();
          content.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <Group component="header" px="md" gap="lg" wrap="nowrap" className={classes['header']}>
        <Group gap={4} wrap="nowrap">
          <NarrowNavigation path={path} />
          <Anchor component={Link} href="/" className={classes['brand']} underline="never">
            <Mark />
            lab-api
          </Anchor>
        </Group>
        <WideNavigation path={path} />
        <Group ml="auto" gap="sm" wrap="nowrap">
          <SearchButton />
          <LiveMark />
          <UserMenu />
        </Group>
      </Group>
      <main id="content" tabIndex={-1} ref={content} className={classes['content']}>
        <Bars />
        <Failsafe key={path}>
          <Suspense fallback={<Loading />}>{children}</Suspense>
        </Failsafe>
      </main>
      <VisuallyHidden role="status" aria-label="Page">
        Page: {title}
      </VisuallyHidden>
      <Keys />
    </>
  );
}
