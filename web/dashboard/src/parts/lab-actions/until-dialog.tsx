import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Lab } from '../../../../../src/client/api-types.ts';
import { useNow } from '../time.tsx';
import { labText } from '../lab-title.ts';
import { laterEnd, localInputText } from './lab-words.ts';
import { useLease } from './use-lab-actions.ts';
import { Question } from '../question.tsx';

/** Until when the lab lives, by the clock of the reader. It is there only while it is open, so that it begins anew each time. */
export function UntilDialog({ lab, onClose }: { lab: Lab; onClose: () => void }) {
  const now = useNow();
  const [text, setText] = useState(() => localInputText(laterEnd(lab.expiresAt, 1, now)));
  const lease = useLease(lab, false);
  const end = new Date(text);
  const wrong = Number.isNaN(end.getTime())
    ? 'a day and a time'
    : end.getTime() <= now
      ? 'that is over; "Stop" takes the lab down now'
      : undefined;
  return (
    <Question
      title={`When does ${labText(lab)} end?`}
      no="Leave it as it is"
      yes="Set the end"
      isForm
      isBusy={lease.isPending}
      isDisabled={wrong !== undefined}
      error={lease.error}
      errorTitle="The end cannot be changed"
      onClose={onClose}
      onYes={() => {
        if (wrong === undefined) lease.mutate(end, { onSuccess: onClose });
      }}
    >
      <TextInput
        label="Until"
        description="The service takes the lab down then"
        type="datetime-local"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={wrong}
        data-autofocus
      />
    </Question>
  );
}
