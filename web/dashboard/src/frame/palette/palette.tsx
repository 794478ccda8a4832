import { Text, useMantineColorScheme } from '@mantine/core';
import { Spotlight, createSpotlight } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import {
  IconArrowRight,
  IconCommand,
  IconFolder,
  IconPlayerPlay,
  IconRouter,
  IconSearch,
  IconTopologyStar3,
  type TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { JobPage } from '../../../../../src/client/api-types.ts';
import { isOfBrowser } from '../../api/login.ts';
import { useLabs, useMayOperate, useSession, useWorkspaces } from '../../api/queries.ts';
import { getFrom } from '../../api/service.ts';
import { openOverlay, overlay } from '../overlay.ts';
import { leave } from '../user-menu.tsx';
import { usePlaces } from '../../parts/use-places.ts';
import { commandsOf, pageCommands, typedJob, typedSearch, type Command, type Group } from './commands.ts';
import { fuzzyFind } from './fuzzy.ts';

const [store, palette] = createSpotlight();

const icons: Readonly<Record<Group, TablerIcon>> = {
  'Go to': IconArrowRight,
  Actions: IconCommand,
  Labs: IconTopologyStar3,
  Nodes: IconRouter,
  Jobs: IconPlayerPlay,
  Workspaces: IconFolder,
};

/** Enough to choose from, and few enough to stay fast with thousands of nodes. */
const mostOfAGroup = 8;

function useActions(): Command[] {
  const { setColorScheme } = useMantineColorScheme();
  const mayOperate = useMayOperate();
  const mayLeave = isOfBrowser(useSession().data?.loggedInBy);
  const action = (label: string, does: Command['does'], also = ''): Command => ({
    id: `action ${label}`,
    group: 'Actions',
    label,
    also,
    does,
  });
  return [
    ...(mayOperate
      ? [
          action('New lab', '/?new=', 'draw create topology shape'),
          action('Start a lab', '/?start=', 'up create new'),
        ]
      : []),
    action('Theme: dark', () => setColorScheme('dark'), 'color night'),
    action('Theme: light', () => setColorScheme('light'), 'color day'),
    action('Theme: system', () => setColorScheme('auto'), 'color auto'),
    action('Keyboard shortcuts', () => openOverlay('help'), 'help keys'),
    ...(mayLeave ? [action('Log out', () => void leave(), 'sign out')] : []),
  ];
}

/** The entries of the server; lists that no page has loaded are fetched while the dialog is open. */
function useKnown(isOpen: boolean): Command[] {
  const labs = useLabs().data;
  const jobs = useQuery({
    queryKey: ['jobs', 'palette'],
    queryFn: async ({ signal }) => (await getFrom<JobPage>('/jobs', { query: { limit: 50 }, signal })).jobs,
    enabled: isOpen,
  }).data;
  const workspaces = useWorkspaces(isOpen).data;
  return useMemo(
    () => commandsOf({ labs: labs ?? [], jobs: jobs ?? [], workspaces: workspaces ?? [] }),
    [labs, jobs, workspaces],
  );
}

function grouped(found: readonly Command[]): [Group, Command[]][] {
  const groups = new Map<Group, Command[]>();
  for (const command of found) {
    const group = groups.get(command.group) ?? [];
    if (group.length < mostOfAGroup) groups.set(command.group, [...group, command]);
  }
  return [...groups];
}

/** Searches everything on this server (Ctrl K). */
export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [, go] = useLocation();
  const [query, setQuery] = useState('');
  const actions = useActions();
  const known = useKnown(isOpen);
  useEffect(() => (isOpen ? palette.open() : palette.close()), [isOpen]);
  // Before the user types: pages and actions only, not hundreds of nodes.
  const all = [...pageCommands(usePlaces()), ...(query.trim() === '' ? [] : known), ...actions];
  const found = [
    ...typedJob(query, known),
    ...typedSearch(query),
    ...fuzzyFind(query, all, ({ label, also = '' }) => `${label} ${also}`.trim()),
  ];
  const run = ({ does }: Command): void => {
    onClose();
    if (typeof does === 'string') go(does);
    else does();
  };
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={() => {
        if (overlay.get().open === 'search') onClose();
      }}
      clearQueryOnClose
      scrollable
      maxHeight={420}
      // A user who types on at once means the field.
      transitionProps={{ duration: 0 }}
      title="Search"
      // For screen readers only: the field is visible.
      styles={{ header: { display: 'none' } }}
    >
      <Spotlight.Search
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user opens it to type
        autoFocus
        placeholder="Labs, nodes, jobs, workspaces, actions"
        aria-label="Search"
        leftSection={<IconSearch size={18} aria-hidden />}
      />
      <Spotlight.ActionsList>
        {grouped(found).map(([group, commands]) => {
          const Icon = icons[group];
          return (
            <Spotlight.ActionsGroup key={group} label={group}>
              {commands.map((command) => (
                <Spotlight.Action
                  key={command.id}
                  label={command.label}
                  leftSection={<Icon size={18} aria-hidden />}
                  rightSection={
                    <Text size="xs" c="inherit" span>
                      {command.detail}
                    </Text>
                  }
                  onClick={() => run(command)}
                />
              ))}
            </Spotlight.ActionsGroup>
          );
        })}
        {found.length === 0 && <Spotlight.Empty>No results</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
