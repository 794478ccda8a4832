/** The dialogs that keep a lab as a snapshot, and show what has changed in its nodes since the last one. */
import { Alert, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Lab, Snapshot } from '../../../../../src/client/api-types.ts';
import { fetchAgain } from '../../api/query-client.ts';
import { client } from '../../api/service.ts';
import { Changes } from '../differences.tsx';
import { labText } from '../lab-title.ts';
import { SnapshotLink } from '../links.tsx';
import { Loading } from '../loading.tsx';
import { ProblemNotice } from '../problem-notice.tsx';
import { Question } from '../question.tsx';
import { sizeText } from '../size-text.ts';

export type SnapshotAction = 'keep' | 'compare';

interface Props {
  readonly lab: Lab;
  readonly onClose: () => void;
}

/** The names that the service takes. */
const namePattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;

function Kept({ snapshot }: { readonly snapshot: Snapshot }) {
  const failed = snapshot.nodes.filter(({ kept }) => kept === 'failed');
  return (
    <Stack gap="sm">
      <Text size="sm">
        <SnapshotLink snapshot={snapshot} /> has {snapshot.files} files, {sizeText(snapshot.size)}. Its page
        starts the lab again, also as copies.
      </Text>
      {!snapshot.complete && (
        <Alert color="orange" title="It is not complete">
          {failed.map(({ node, reason }) => (
            <Text key={node} size="sm">
              {node}: {reason}
            </Text>
          ))}
          {snapshot.leftOutCount > 0 && <Text size="sm">{snapshot.leftOutCount} files are left out.</Text>}
        </Alert>
      )}
    </Stack>
  );
}

function KeepDialog({ lab, onClose }: Props) {
  const [name, setName] = useState('');
  const keep = useMutation({
    mutationFn: async () => client.snapshots.keep(lab.id, name),
    onSuccess: async () => fetchAgain(['snapshots']),
  });
  return (
    <Question
      title={`Keep ${labText(lab)}`}
      yes="Keep"
      size="lg"
      isForm
      isBusy={keep.isPending}
      isDisabled={!namePattern.test(name)}
      error={keep.error}
      errorTitle="It is not kept"
      {...(keep.data && { done: <Kept snapshot={keep.data} /> })}
      onClose={onClose}
      onYes={() => keep.mutate()}
    >
      <Text size="sm">
        A snapshot keeps the files of the lab and the running configuration of each node. It stays when the
        lab is gone.
      </Text>
      <TextInput
        label="Name"
        description="Small letters, digits and . _ -"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        required
        data-autofocus
      />
    </Question>
  );
}

function CompareDialog({ lab, onClose }: Props) {
  // Not below the key of the lab: its events would read the nodes again while the dialog is open.
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['diff', lab.id],
    queryFn: async () => client.snapshots.compareLab(lab.id),
    retry: false,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return (
    <Question
      title={`Changes in ${labText(lab)} since its last snapshot`}
      no="Close"
      yes="Read again"
      size="xl"
      isBusy={isFetching}
      onClose={onClose}
      onYes={() => void refetch()}
    >
      {error && <ProblemNotice error={error} title="The configurations cannot be compared" />}
      {data === undefined && !error && <Loading />}
      {data && <Changes differences={data} />}
    </Question>
  );
}

const dialogs = { keep: KeepDialog, compare: CompareDialog } as const;

/** It is mounted only while it is open, so that it starts fresh each time. */
export function SnapshotDialog({ action, ...props }: Props & { readonly action: SnapshotAction }) {
  const Dialog = dialogs[action];
  return <Dialog {...props} />;
}
