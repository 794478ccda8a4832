import { Button, Group, Stack, Switch, Tabs, Text, TextInput } from '@mantine/core';
import { IconBrandGit, IconFileText, IconFolder, IconLink, IconTemplate } from '@tabler/icons-react';
import { useState } from 'react';
import type { Template, Workspace } from '../../../../../../src/client/api-types.ts';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { startText, type StartSource } from '../../../parts/start-link.ts';
import { useWorkspaces } from '../../../api/queries.ts';
import { useTemplates } from '../queries.ts';
import { useAddress } from '../../../parts/use-address.ts';
import { PickList, type PickItem } from './pick-list.tsx';

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** The reasons of the service why the template cannot be started. */
export function obstaclesOf({ valid, error, runnable, obstacles }: Template): readonly string[] {
  if (!valid) return [error ?? 'This is not a topology.'];
  if (runnable) return [];
  return obstacles.length > 0 ? obstacles : ['This server cannot run it.'];
}

/** Templates that can be started come first. */
function inOrder(templates: readonly Template[]): readonly Template[] {
  return [...templates.filter(({ runnable }) => runnable), ...templates.filter(({ runnable }) => !runnable)];
}

export function templateItem(template: Template): PickItem {
  const { topologyPath, path, title, description, nodes, links, devices, provider } = template;
  return {
    key: topologyPath,
    title: title ?? path,
    detail: path,
    about: description ?? undefined,
    facts: [
      ...(nodes === null ? [] : [plural(nodes, 'node')]),
      ...(links === null ? [] : [plural(links, 'link')]),
      ...(devices.length === 0 ? [] : [devices.join(', ')]),
      ...(provider === null ? [] : [provider]),
    ],
    obstacles: obstaclesOf(template),
  };
}

function workspaceItem({ name, files, lab, job }: Workspace): PickItem {
  return {
    key: name,
    title: name,
    facts: [
      plural(files, 'file'),
      ...(lab === null ? [] : [`contains lab ${lab}`]),
      ...(job === null ? [] : ['a job is running']),
    ],
    obstacles: [],
  };
}

/** The topology files of a directory on the server. `onPick` gets the path of one. */
export function Templates({ onPick }: { readonly onPick: (path: string) => void }) {
  const { get, change } = useAddress();
  const dir = get('dir');
  const [typed, setTyped] = useState(dir ?? '');
  const templates = useTemplates(dir);
  const look = (): void => change({ dir: typed.trim() || undefined });
  const [showsAll, setShowsAll] = useState(false);
  const all = templates.data ?? [];
  const shown = showsAll ? all : all.filter(({ valid }) => valid);
  const others = all.filter(({ valid }) => !valid).length;
  return (
    <Stack gap="xs">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          look();
        }}
      >
        <Group align="end" gap="xs" wrap="nowrap">
          <TextInput
            label="Directory on the server"
            placeholder="default of the server"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            style={{ flex: 1 }}
          />
          <Button type="submit" variant="default" loading={templates.isLoading} style={{ flexShrink: 0 }}>
            Show
          </Button>
        </Group>
      </form>
      {templates.isError && templates.data === undefined ? (
        <ProblemNotice
          error={templates.error}
          title="No templates"
          onRetry={() => void templates.refetch()}
        />
      ) : (
        <>
          {others > 0 && (
            <Switch
              label={`Show ${plural(others, 'YAML file')} without a topology`}
              checked={showsAll}
              onChange={(event) => setShowsAll(event.currentTarget.checked)}
            />
          )}
          {templates.data && shown.length === 0 ? (
            <Text c="dimmed" py="xl" ta="center">
              There are no topology files in this directory or below it.
            </Text>
          ) : (
            <PickList
              label="Templates"
              items={templates.data && inOrder(shown).map(templateItem)}
              onPick={onPick}
            />
          )}
        </>
      )}
    </Stack>
  );
}

function Workspaces({ onPick }: { readonly onPick: (source: StartSource) => void }) {
  const workspaces = useWorkspaces();
  if (workspaces.data?.length === 0)
    return (
      <Text c="dimmed" py="xl" ta="center">
        No workspaces yet: a workspace is a directory on the server for your files.
      </Text>
    );
  if (workspaces.isError && workspaces.data === undefined)
    return <ProblemNotice error={workspaces.error} onRetry={() => void workspaces.refetch()} />;
  return (
    <PickList
      label="Workspaces"
      items={workspaces.data?.map(workspaceItem)}
      onPick={(name) => onPick({ kind: 'workspace', name })}
    />
  );
}

/** Chooses the source of the lab. */
export function ChooseSource() {
  const { get, change } = useAddress();
  const pick = (source: StartSource): void => change({ start: startText(source) }, true);
  return (
    <Tabs
      value={get('from') ?? 'templates'}
      onChange={(from) => change({ from: from === 'templates' ? undefined : (from ?? undefined) })}
      keepMounted={false}
    >
      <Tabs.List mb="sm">
        <Tabs.Tab value="templates" px="xs" leftSection={<IconTemplate size={16} aria-hidden />}>
          Template
        </Tabs.Tab>
        <Tabs.Tab value="workspaces" px="xs" leftSection={<IconFolder size={16} aria-hidden />}>
          Workspace
        </Tabs.Tab>
        <Tabs.Tab value="own" px="xs" leftSection={<IconFileText size={16} aria-hidden />}>
          Your own
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="templates">
        <Templates onPick={(path) => pick({ kind: 'template', path })} />
      </Tabs.Panel>
      <Tabs.Panel value="workspaces">
        <Workspaces onPick={pick} />
      </Tabs.Panel>
      <Tabs.Panel value="own">
        <Stack align="start" py="md">
          <Button
            variant="default"
            leftSection={<IconFileText size={16} aria-hidden />}
            onClick={() => pick({ kind: 'text' })}
          >
            Type or paste a topology
          </Button>
          <Button
            variant="default"
            leftSection={<IconLink size={16} aria-hidden />}
            onClick={() => pick({ kind: 'url' })}
          >
            Fetch a topology from a URL
          </Button>
          <Button
            variant="default"
            leftSection={<IconBrandGit size={16} aria-hidden />}
            onClick={() => pick({ kind: 'git' })}
          >
            Fetch files from Git
          </Button>
        </Stack>
      </Tabs.Panel>
    </Tabs>
  );
}
