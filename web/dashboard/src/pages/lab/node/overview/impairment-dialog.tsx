import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Impairment } from '../../../../../../../src/client/api-types.ts';
import { fetchAgain } from '../../../../api/query-client.ts';
import { client } from '../../../../api/service.ts';
import { Dialog } from '../../../../parts/dialog.tsx';
import { ProblemNotice } from '../../../../parts/problem-notice.tsx';
import { ImpairmentFields, isNothing, wantedOf } from './impairment-fields.tsx';

export interface Place {
  readonly lab: string;
  readonly node: string;
  readonly interfaceName: string;
}

export const impairmentKey = ({ lab, node, interfaceName }: Place): readonly string[] => [
  'lab',
  lab,
  'impairment',
  node,
  interfaceName,
];

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
    await fetchAgain(impairmentKey(place));
    onClose();
  };
  const impair = useMutation({ mutationFn: async () => target.impair(interfaceName, wanted), onSuccess });
  const mend = useMutation({ mutationFn: async () => target.mend(interfaceName), onSuccess });
  const isBusy = impair.isPending || mend.isPending;
  return (
    <Dialog opened onClose={onClose} title={`Impair ${interfaceName} of ${node}`} centered>
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
          <ImpairmentFields wanted={wanted} onChange={setWanted} />
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
            <Button type="submit" loading={impair.isPending} disabled={isBusy || isNothing(wanted)}>
              Impair
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
