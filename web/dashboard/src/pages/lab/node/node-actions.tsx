import { ActionIcon, Menu } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop, IconPower, IconRefresh } from '@tabler/icons-react';
import type { JobRequest, Lab } from '../../../../../../src/client/api-types.ts';
import { useMay } from '../../../api/queries.ts';
import { useLabJob } from '../../../parts/lab-actions/use-lab-actions.ts';
import { tellError } from '../../../parts/tell.ts';
import { MenuEntry } from '../../../parts/menu.tsx';

type NodeAction = Extract<JobRequest['action'], `${string}-nodes`>;

const choices: readonly {
  readonly action: NodeAction;
  readonly label: string;
  readonly Icon: typeof IconPower;
}[] = [
  { action: 'start-nodes', label: 'Start', Icon: IconPlayerPlay },
  { action: 'restart-nodes', label: 'Restart', Icon: IconRefresh },
  { action: 'stop-nodes', label: 'Stop', Icon: IconPlayerStop },
];

/** The actions that fit the state; all of them when the state is unknown. */
function choicesFor(state: string | undefined): typeof choices {
  if (state === 'up') return choices.filter(({ action }) => action !== 'start-nodes');
  // One that runs without its links is down, too: to start it changes nothing.
  if (state === 'down') return choices.filter(({ action }) => action !== 'stop-nodes');
  return choices;
}

/** Starts, stops and restarts a node, if the user may and the lab CLI can do that for single nodes; else nothing. */
export function NodeActions({ lab, node }: { readonly lab: Lab; readonly node: string }) {
  const job = useLabJob(lab, `${node}: a job was queued`);
  const may = useMay(lab);
  const state = lab.nodes.find(({ name }) => name === node)?.state;
  const offered = choicesFor(state).filter(({ action }) => may(action));
  if (offered.length === 0) return null;
  return (
    <Menu withinPortal={false}>
      <Menu.Target>
        <ActionIcon aria-label={`Start or stop ${node}`} loading={job.isPending}>
          <IconPower size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {offered.map(({ action, label, Icon }) => (
          <MenuEntry
            key={action}
            Icon={Icon}
            onClick={() =>
              job.mutate(
                { action, nodes: [node] },
                {
                  onError: (error) => tellError(`No action was started for ${node}`, error, { stays: true }),
                },
              )
            }
          >
            {label}
          </MenuEntry>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
