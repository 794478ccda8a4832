import { Text } from '@mantine/core';
import type { Lab } from '../../../../../src/client/api-types.ts';
import { labText } from '../lab-title.ts';
import { useLabJob } from './use-lab-actions.ts';
import { Question } from '../question.tsx';

/** Asks before a lab is stopped and started again. */
export function RestartDialog({ lab, isOpen, onClose }: { lab: Lab; isOpen: boolean; onClose: () => void }) {
  const restart = useLabJob(lab, 'is being restarted');
  const close = (): void => {
    restart.reset();
    onClose();
  };
  const count = lab.nodes.length;
  return (
    <Question
      isOpen={isOpen}
      title={`Restart ${labText(lab)}?`}
      no="Leave it as it is"
      yes="Restart the lab"
      isDangerous
      isBusy={restart.isPending}
      error={restart.error}
      errorTitle="The lab is not being restarted"
      focus="yes"
      onClose={close}
      onYes={() => restart.mutate({ action: 'restart' }, { onSuccess: close })}
    >
      <Text size="sm">
        {count === 0 ? 'All nodes are' : count === 1 ? 'Its node is' : `Its ${count} nodes are`} stopped and
        started anew. All changes in them are lost, and open terminals end. The lease stays as it is.
      </Text>
    </Question>
  );
}
