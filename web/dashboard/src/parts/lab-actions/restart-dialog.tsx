import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { Lab } from '../../../../../src/client/api-types.ts';
import { ProblemNotice } from '../problem-notice.tsx';
import { labText } from '../lab-title.ts';
import { useLabJob } from './use-lab-actions.ts';

/** Asks before a lab is stopped and started again. */
export function RestartDialog({ lab, isOpen, onClose }: { lab: Lab; isOpen: boolean; onClose: () => void }) {
  const restart = useLabJob(lab, 'is being restarted');
  const close = (): void => {
    restart.reset();
    onClose();
  };
  const count = lab.nodes.length;
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={`Restart ${labText(lab)}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm">
          {count === 0 ? 'All nodes are' : count === 1 ? 'Its node is' : `Its ${count} nodes are`} stopped and
          started anew. Whatever was changed in them is lost, and open terminals end. The lease stays as it
          is.
        </Text>
        {restart.isError && <ProblemNotice error={restart.error} title="The lab is not being restarted" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Leave it as it is
          </Button>
          <Button
            color="red"
            loading={restart.isPending}
            onClick={() => restart.mutate({ action: 'restart' }, { onSuccess: close })}
            data-autofocus
          >
            Restart the lab
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
