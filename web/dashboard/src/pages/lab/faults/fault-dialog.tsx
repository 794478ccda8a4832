import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Fault, Lab } from '../../../../../../src/client/api-types.ts';
import { shortFaultWords } from '../../../../../../src/labs/picture/words.ts';
import { fetchAgain } from '../../../api/query-client.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { momentText } from '../../../parts/lab-actions/lab-words.ts';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';

/** When the service heals a fault; without a time, a user heals it. */
interface FaultTime {
  readonly ttlSeconds?: number;
}

/** A button that sets a fault, or asks for more first. */
export interface FaultChoice {
  readonly label: string;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  /** Whether it is the fault that there is: it can only get another time. */
  readonly isSet?: boolean;
  readonly set?: (time: FaultTime) => Promise<unknown>;
  readonly onAsk?: () => void;
}

/** In the words of the buttons: `cut, by alice, until 18:00`. */
export function brokenWords(fault: Fault): string {
  const { kind, user, expiresAt } = fault;
  const state = kind === 'down' ? 'cut' : kind === 'silent' ? 'silenced' : shortFaultWords(fault);
  const words = [
    state,
    user !== null && `by ${user}`,
    expiresAt !== null && `until ${momentText(new Date(expiresAt))}`,
  ];
  return words.filter((word) => word !== false).join(', ');
}

interface FaultDialogProps {
  readonly lab: Lab;
  readonly title: string;
  /** How the choices differ. */
  readonly about: string;
  readonly fault: Fault | undefined;
  readonly choices: readonly FaultChoice[];
  readonly heal: () => Promise<void>;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Breaks a link or a node, or heals it. */
export function FaultDialog({
  lab,
  title,
  about,
  fault,
  choices,
  heal,
  onClose,
  children,
}: FaultDialogProps) {
  const [minutes, setMinutes] = useState(0);
  const { mutate, isPending, isError, error, variables } = useMutation({
    mutationFn: async ({ set }: FaultChoice) => set?.(minutes > 0 ? { ttlSeconds: minutes * 60 } : {}),
    onSuccess: async () => {
      await fetchAgain(['lab', lab.id]);
      onClose();
    },
  });
  const offered = fault ? [{ label: 'Heal', set: heal }, ...choices] : choices;
  return (
    <Dialog opened onClose={onClose} title={title} centered>
      <Stack gap="sm">
        <Text size="sm">{fault ? `It is broken on purpose: ${brokenWords(fault)}.` : about}</Text>
        {children}
        <NumberInput
          label="Heal after"
          description="0: when a user heals it"
          suffix=" min"
          min={0}
          max={10_080}
          value={minutes}
          onChange={(value) => setMinutes(Number(value) || 0)}
        />
        {isError && <ProblemNotice error={error} />}
        <Group justify="end">
          {offered.map((choice) => (
            <Button
              key={choice.label}
              {...(choice.isDangerous === true ? { color: 'red.9' } : { variant: 'default' })}
              disabled={isPending || choice.isDisabled === true || (choice.isSet === true && minutes === 0)}
              loading={isPending && variables.label === choice.label}
              onClick={() => (choice.onAsk ? choice.onAsk() : mutate(choice))}
            >
              {choice.label}
            </Button>
          ))}
        </Group>
      </Stack>
    </Dialog>
  );
}
