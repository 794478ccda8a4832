import { Button, Group, Modal, NumberInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Lab, LabTopology } from '../../../../../../src/client/api-types.ts';
import { faultWords } from '../../../../../../src/labs/picture/words.ts';
import { queryClient } from '../../../api/query-client.ts';
import { client } from '../../../api/service.ts';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';

/** Breaks a link, or heals it. */
export function LinkDialog({
  lab,
  topology,
  link: id,
  onClose,
}: {
  readonly lab: Lab;
  readonly topology: LabTopology;
  readonly link: string;
  readonly onClose: () => void;
}) {
  const [minutes, setMinutes] = useState(0);
  const faults = client.faults(lab.id);
  const fault = lab.faults.find((one) => one.link === id);
  const link = topology.links.find((one) => one.id === id);
  const ends = (link?.endpoints ?? []).map(({ node, interface: name }) => `${node} ${name}`);
  const change = useMutation({
    mutationFn: async (kind: 'down' | 'silent' | undefined) => {
      const time = minutes > 0 ? { ttlSeconds: minutes * 60 } : {};
      if (kind === undefined) await faults.healLink(id);
      else await faults.breakLink(id, { kind, ...time });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['lab', lab.id] });
      onClose();
    },
  });
  const { isPending, variables } = change;
  return (
    <Modal opened onClose={onClose} title={`Link ${ends.join(' – ')}`} centered>
      <Stack gap="sm">
        <Text size="sm">
          {fault
            ? `It is broken on purpose: ${faultWords(fault)}.`
            : 'Cut it, and routing daemons see it at once. Silence it, and its interfaces stay up but lose every frame.'}
        </Text>
        <NumberInput
          label="Heal after"
          description="0: when a user heals it"
          suffix=" min"
          min={0}
          max={10_080}
          value={minutes}
          onChange={(value) => setMinutes(Number(value) || 0)}
        />
        {change.isError && <ProblemNotice error={change.error} />}
        <Group justify="end">
          {fault && (
            <Button
              variant="default"
              disabled={isPending}
              loading={isPending && variables === undefined}
              onClick={() => change.mutate(undefined)}
            >
              Heal
            </Button>
          )}
          <Button
            variant="default"
            disabled={isPending}
            loading={isPending && variables === 'silent'}
            onClick={() => change.mutate('silent')}
          >
            Silence
          </Button>
          <Button
            color="red.9"
            disabled={isPending}
            loading={isPending && variables === 'down'}
            onClick={() => change.mutate('down')}
          >
            Cut
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
