import { Checkbox, Code, List, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Lab } from '../../../../../src/client/api-types.ts';
import { labText } from '../lab-title.ts';
import { useLabJob, useLease, useLongestLife } from './use-lab-actions.ts';
import { Question } from '../question.tsx';
import { useNow } from '../time.tsx';
import { WaitsFor } from './waits-for.tsx';
import { laterEnd, localInputText, wrongEnd } from './lab-words.ts';

/** More names would push the buttons out of view. */
const shownNodes = 12;

function Loss({ lab, isCleanup }: { readonly lab: Lab; readonly isCleanup: boolean }) {
  const names = lab.nodes.map(({ name }) => name);
  const more = names.length - shownNodes;
  return (
    <Stack gap="xs">
      <Text size="sm">This is lost:</Text>
      <List size="sm" spacing={4}>
        <List.Item>
          {names.length === 0 ? (
            'all nodes of the lab'
          ) : (
            <>
              {names.length === 1 ? 'the node ' : `${names.length} nodes: `}
              {names.slice(0, shownNodes).join(', ')}
              {more > 0 && ` and ${more} more`}
            </>
          )}
          , with all changes in them
        </List.Item>
        <List.Item>open terminals, running commands and captures in them</List.Item>
        {isCleanup && (
          <List.Item>
            the files of the lab CLI{' '}
            {lab.workdir !== null && (
              <>
                in <Code style={{ overflowWrap: 'anywhere' }}>{lab.workdir}</Code>
              </>
            )}
          </List.Item>
        )}
      </List>
      <Text size="sm" c="dimmed">
        {isCleanup ? 'The topology stays' : 'The topology and all files stay'}: the lab can be started again.
      </Text>
    </Stack>
  );
}

/** Asks before a lab is stopped, and names the data that is lost. */
export function StopDialog({ lab, isOpen, onClose }: { lab: Lab; isOpen: boolean; onClose: () => void }) {
  const [isCleanup, setCleanup] = useState(false);
  const [isForced, setForced] = useState(false);
  const stop = useLabJob(lab, 'is being stopped');
  const close = (): void => {
    stop.reset();
    // The choices do not carry over to the next time.
    setCleanup(false);
    setForced(false);
    onClose();
  };
  const submit = (): void =>
    stop.mutate(
      { action: 'down', ...(isCleanup && { cleanup: true }), ...(isForced && { force: true }) },
      { onSuccess: close },
    );
  return (
    <Question
      isOpen={isOpen}
      title={`Stop ${labText(lab)}?`}
      no="Keep it running"
      yes="Stop the lab"
      isDangerous
      isBusy={stop.isPending}
      error={stop.error}
      errorTitle="The lab is not being stopped"
      focus="yes"
      onClose={close}
      onYes={submit}
    >
      <Loss lab={lab} isCleanup={isCleanup} />
      <WaitsFor lab={lab} />
      <Checkbox
        label="Also remove the files of the lab CLI"
        checked={isCleanup}
        onChange={(event) => setCleanup(event.currentTarget.checked)}
      />
      <Checkbox
        label="Continue despite errors and locks"
        description="For a lab that cannot be stopped otherwise"
        checked={isForced}
        onChange={(event) => setForced(event.currentTarget.checked)}
      />
    </Question>
  );
}

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
        started again. All changes in them are lost, and open terminals end. The time that it has left stays
        as it is.
      </Text>
      <WaitsFor lab={lab} />
    </Question>
  );
}

/**
 * Asks for the end of the lab in the time zone of the user. It is mounted only while it is open, so that it starts fresh each time.
 */
export function UntilDialog({ lab, onClose }: { lab: Lab; onClose: () => void }) {
  const now = useNow();
  const longestMs = useLongestLife(lab);
  const [text, setText] = useState(() => {
    const later = laterEnd(lab.expiresAt, 1, now).getTime();
    return localInputText(new Date(Math.min(later, now + longestMs)));
  });
  const lease = useLease(lab, false);
  const end = new Date(text);
  const wrong = wrongEnd(end, now, longestMs);
  return (
    <Question
      title={`When does ${labText(lab)} end?`}

      yes="Set the end"
      isForm
      isBusy={lease.isPending}
      isDisabled={wrong !== undefined}
      error={lease.error}
      errorTitle="The end cannot be changed"
      onClose={onClose}
      onYes={() => {
        if (wrong === undefined) lease.mutate({ expiresAt: end.toISOString() }, { onSuccess: onClose });
      }}
    >
      <TextInput
        label="Until"
        description="The service stops the lab at this time"
        type="datetime-local"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={wrong}
        data-autofocus
      />
    </Question>
  );
}
