import { Button, Group, Modal, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Impairment, ImpairmentRequest } from '../../../../../../../src/client/api-types.ts';
import { queryClient } from '../../../../api/query-client.ts';
import { client } from '../../../../api/service.ts';
import { ProblemNotice } from '../../../../parts/problem-notice.tsx';

export interface Place {
  readonly lab: string;
  readonly node: string;
  readonly interfaceName: string;
}

const fields = [
  { name: 'delayMs', label: 'Delay', unit: ' ms', max: 600_000 },
  { name: 'jitterMs', label: 'Jitter', unit: ' ms', max: 600_000 },
  { name: 'lossPercent', label: 'Loss', unit: ' %', max: 100 },
  { name: 'duplicatePercent', label: 'Duplicates', unit: ' %', max: 100 },
  { name: 'corruptPercent', label: 'Corruption', unit: ' %', max: 100 },
  { name: 'rateKbps', label: 'Rate (0: no limit)', unit: ' kbit/s', max: 1e9 },
] as const;

export const impairmentKey = ({ lab, node, interfaceName }: Place): readonly string[] => [
  'lab',
  lab,
  'impairment',
  node,
  interfaceName,
];

type Wanted = Required<ImpairmentRequest>;

const wantedOf = (known: Impairment | undefined): Wanted => ({
  delayMs: known?.delayMs ?? 0,
  jitterMs: known?.jitterMs ?? 0,
  lossPercent: known?.lossPercent ?? 0,
  duplicatePercent: known?.duplicatePercent ?? 0,
  corruptPercent: known?.corruptPercent ?? 0,
  rateKbps: known?.rateKbps ?? 0,
});

/** Sets or removes the impairment of a link. */
export function ImpairmentDialog({
  place,
  known,
  onClose,
}: {
  readonly place: Place;
  readonly known: Impairment | undefined;
  readonly onClose: () => void;
}) {
  const { lab, node, interfaceName } = place;
  const [wanted, setWanted] = useState(() => wantedOf(known));
  const target = client.node(lab, node);
  const onSuccess = async (): Promise<void> => {
    await queryClient.invalidateQueries({ queryKey: impairmentKey(place) });
    onClose();
  };
  const impair = useMutation({ mutationFn: async () => target.impair(interfaceName, wanted), onSuccess });
  const mend = useMutation({ mutationFn: async () => target.mend(interfaceName), onSuccess });
  const isBusy = impair.isPending || mend.isPending;
  const isNothing = Object.values(wanted).every((value) => value === 0);
  return (
    <Modal opened onClose={onClose} title={`Impair ${interfaceName} of ${node}`} centered>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          impair.mutate();
        }}
      >
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            Affects packets that leave {node} here. For both directions, impair the other end too.
          </Text>
          <SimpleGrid cols={2} spacing="sm">
            {fields.map(({ name, label, unit, max }) => (
              <NumberInput
                key={name}
                label={label}
                suffix={unit}
                min={0}
                max={max}
                value={wanted[name]}
                onChange={(value) => setWanted({ ...wanted, [name]: Number(value) || 0 })}
              />
            ))}
          </SimpleGrid>
          {impair.isError && <ProblemNotice error={impair.error} />}
          {mend.isError && <ProblemNotice error={mend.error} />}
          <Group justify="end">
            {known?.isImpaired === true && (
              <Button
                variant="default"
                loading={mend.isPending}
                disabled={isBusy}
                onClick={() => mend.mutate()}
              >
                End the impairment
              </Button>
            )}
            <Button type="submit" loading={impair.isPending} disabled={isBusy || isNothing}>
              Impair
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
