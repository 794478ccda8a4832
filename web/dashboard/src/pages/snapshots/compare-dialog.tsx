import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Differences, Lab, Snapshot } from '../../../../../src/client/api-types.ts';
import { useLabs, useSnapshots } from '../../api/queries.ts';
import { client } from '../../api/service.ts';
import { Changes } from '../../parts/differences.tsx';
import { labText } from '../../parts/lab-title.ts';
import { Loading } from '../../parts/loading.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Question } from '../../parts/question.tsx';

interface Props {
  readonly snapshot: Snapshot;
  readonly onClose: () => void;
}

/** The labs and snapshots of the same host that the user may compare it with. */
function useOthers({ name, host }: Snapshot) {
  const labs = (useLabs().data ?? []).filter((lab) => lab.host === host && lab.may.includes('compareLab'));
  const snapshots = (useSnapshots().data ?? []).filter(
    (one) => one.name !== name && one.host === host && one.may.includes('compareSnapshots'),
  );
  return { labs, snapshots };
}

const labKey = ({ id }: Lab): string => `lab:${id}`;
const snapshotKey = ({ name }: Snapshot): string => `snapshot:${name}`;

/** From the earlier one to the later one. */
async function differences(snapshot: Snapshot, other: Lab | Snapshot): Promise<Differences> {
  if ('id' in other) return client.snapshots.compareLab(other.id, { snapshot: snapshot.name });
  const [before, after] = other.createdAt < snapshot.createdAt ? [other, snapshot] : [snapshot, other];
  return client.snapshots.compare(before.name, after.name, { host: snapshot.host ?? undefined });
}

/** Compares the configurations of a snapshot with those of a lab that runs, or of another snapshot. */
export function CompareDialog({ snapshot, onClose }: Props) {
  const { labs, snapshots } = useOthers(snapshot);
  const [picked, setPicked] = useState<string>();
  const own = labs.find(({ workdir }) => workdir === snapshot.workdir);
  const key = picked ?? (own && labKey(own)) ?? '';
  const other = labs.find((lab) => labKey(lab) === key) ?? snapshots.find((one) => snapshotKey(one) === key);
  // Each opening reads the nodes once.
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['differences', snapshot.host, snapshot.name, key],
    queryFn: async () => (other === undefined ? null : differences(snapshot, other)),
    enabled: other !== undefined,
    retry: false,
    gcTime: 0,
  });
  const isAlone = labs.length + snapshots.length === 0;
  return (
    <Question
      title={`Compare ${snapshot.name}`}
      no="Close"
      yes="Read again"
      size="xl"
      isBusy={isFetching}
      isDisabled={other === undefined}
      onClose={onClose}
      onYes={() => void refetch()}
    >
      <NativeSelect
        label="With"
        description={
          isAlone
            ? 'There is nothing to compare it with: no lab runs that you may change, and there is no other snapshot'
            : 'A lab as it runs now, or another snapshot'
        }
        value={key}
        onChange={({ currentTarget }) => setPicked(currentTarget.value)}
        disabled={isAlone}
        data={[
          ...(other === undefined ? [{ value: '', label: 'choose one' }] : []),
          {
            group: 'Labs that run',
            items: labs.map((lab) => ({ value: labKey(lab), label: labText(lab) })),
          },
          {
            group: 'Snapshots',
            items: snapshots.map((one) => ({ value: snapshotKey(one), label: one.name })),
          },
        ]}
        data-autofocus
      />
      {error && <ProblemNotice error={error} title="The configurations cannot be compared" />}
      {isFetching && !data && <Loading />}
      {data && <Changes differences={data} />}
    </Question>
  );
}
