import { ActionIcon, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPlayerPlay, IconPlayerStop, IconPower, IconRefresh } from '@tabler/icons-react';
import type { JobRequest, Lab } from '../../../../../../src/client/api-types.ts';
import { useMayOperate, useService } from '../../../api/queries.ts';
import { useLabJob } from '../../../parts/lab-actions/use-lab-actions.ts';

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

/** What makes sense for a node that is so; all of it where the lab CLI does not say how it is. */
function choicesFor(state: string | undefined): typeof choices {
  if (state === 'up') return choices.filter(({ action }) => action !== 'start-nodes');
  if (state === 'down') return choices.filter(({ action }) => action === 'start-nodes');
  return choices;
}

function tellError(node: string, { message }: Error): void {
  const title = `Nothing is done with ${node}`;
  notifications.show({ title, message, color: 'red', autoClose: false });
}

/** Starts, stops and restarts a node, where the lab CLI does that for single ones; else nothing. */
export function NodeActions({ lab, node }: { readonly lab: Lab; readonly node: string }) {
  const { data: service } = useService();
  const job = useLabJob(lab, `${node}: a job is at work on it`);
  const mayOperate = useMayOperate();
  const other = service?.labClis.find(({ name }) => name === lab.cli)?.otherOptions['stop-nodes'];
  if (!mayOperate || other === undefined || other.includes('nodes')) return null;
  const state = lab.nodes.find(({ name }) => name === node)?.state;
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Start or stop ${node}`}
          loading={job.isPending}
        >
          <IconPower size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {choicesFor(state).map(({ action, label, Icon }) => (
          <Menu.Item
            key={action}
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() =>
              job.mutate({ action, nodes: [node] }, { onError: (error) => tellError(node, error) })
            }
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
