import { ActionIcon, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDots, IconDoorEnter, IconDoorExit, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { Host } from '../../../../../src/client/api-types.ts';
import { queryClient } from '../../api/query-client.ts';
import { sendTo } from '../../api/service.ts';

interface Props {
  readonly host: Host;
  readonly onForget: (host: Host) => void;
}

/** What an administrator may do with a host: one that answers is drained, one that is away is forgotten. */
export function HostActions({ host, onForget }: Props) {
  const { id, name, state } = host;
  const drain = useMutation({
    mutationFn: async (isWanted: boolean) =>
      sendTo<Host>('POST', `/hosts/${id}/drain`, { body: { drain: isWanted } }),
    onSettled: async () => queryClient.invalidateQueries({ queryKey: ['hosts'] }),
    onError: ({ message }) => notifications.show({ color: 'red', title: name, message, autoClose: false }),
  });
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" loading={drain.isPending} aria-label={`Actions of ${name}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {state === 'up' && (
          <Menu.Item leftSection={<IconDoorExit size={16} aria-hidden />} onClick={() => drain.mutate(true)}>
            Drain: no new labs
          </Menu.Item>
        )}
        {state === 'draining' && (
          <Menu.Item
            leftSection={<IconDoorEnter size={16} aria-hidden />}
            onClick={() => drain.mutate(false)}
          >
            Have it take labs again
          </Menu.Item>
        )}
        {state === 'away' && (
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => onForget(host)}
          >
            Forget…
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
