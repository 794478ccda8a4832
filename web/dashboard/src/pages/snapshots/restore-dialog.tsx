import { Alert, Checkbox, List, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { RestoreResult, Snapshot } from '../../../../../src/client/api-types.ts';
import { useLabs, useQuotas, useSession, useWorkspaces } from '../../api/queries.ts';
import { fetchAgain } from '../../api/query-client.ts';
import { client } from '../../api/service.ts';
import { JobLink, WorkspaceLink } from '../../parts/links.tsx';
import { Question } from '../../parts/question.tsx';
import { copiesLeft } from './copies-left.ts';
import { proposedName, restoredNameProblem, restoredNames } from './restored-names.ts';

interface Props {
  readonly snapshot: Snapshot;
  readonly onClose: () => void;
}

/** Of one request (`POST /snapshots/{name}/restore`). */
const mostCopies = 200;

function Started({ result: { labs, warnings } }: { readonly result: RestoreResult }) {
  return (
    <Stack gap="sm">
      <Text size="sm">
        {labs.length === 1 ? 'The lab is starting:' : `${labs.length} labs are starting:`}
      </Text>
      <List
        size="sm"
        spacing={4}
        mah={280}
        style={{ overflowY: 'auto' }}
        tabIndex={0}
        aria-label="Started labs"
      >
        {labs.map(({ workspace, jobs }) => (
          <List.Item key={workspace}>
            <WorkspaceLink id={workspace} />
            {jobs.slice(0, 1).map(({ id }) => (
              <span key={id}>
                {' '}
                (
                <JobLink id={id} aria-label={`its job, of ${workspace}`}>
                  its job
                </JobLink>
                )
              </span>
            ))}
          </List.Item>
        ))}
      </List>
      {warnings.length > 0 && (
        <Alert color="orange" title="Not everything comes back">
          {warnings.map((warning) => (
            <Text key={warning} size="sm">
              {warning}
            </Text>
          ))}
        </Alert>
      )}
    </Stack>
  );
}

/** The number of labs, and how many the quotas leave. */
function useCopies(snapshot: Snapshot) {
  const [copies, setCopies] = useState<number | string>(1);
  const user = useSession().data?.user ?? null;
  const left = copiesLeft(useQuotas(user).data?.quotas ?? [], snapshot);
  const count = typeof copies === 'number' ? copies : 0;
  const words =
    left === 0
      ? 'no lab like this one: stop one first'
      : `${left} ${left === 1 ? 'lab' : 'labs'} like this one`;
  const problem =
    count < 1 ? `a number from 1 to ${mostCopies}` : count > left ? `your quota leaves ${words}` : undefined;
  return {
    count,
    problem,
    field: {
      label: 'Number of labs',
      description:
        left === Number.POSITIVE_INFINITY
          ? 'Several labs are copies, each in a workspace of its own'
          : `Several labs are copies, each in a workspace of its own. Your quota leaves ${words}.`,
      value: copies,
      onChange: setCopies,
      error: problem,
      min: 1,
      max: mostCopies,
      allowDecimal: false,
      required: true,
    },
  };
}

function Loss({ workspace }: { readonly workspace: string }) {
  return (
    <Text size="sm" c="var(--mantine-color-error)">
      All files that are in the workspace {workspace} now are lost.
    </Text>
  );
}

/** Starts a lab, or several copies of it, from a snapshot. It is mounted only while it is open. */
export function RestoreDialog({ snapshot, onClose }: Props) {
  const workspaces = useWorkspaces().data ?? [];
  const labs = useLabs().data ?? [];
  const [typed, setTyped] = useState<string>();
  const [isReplacing, setReplacing] = useState(false);
  const [wantsFree, setFree] = useState<boolean>();
  const { count, problem: countProblem, field } = useCopies(snapshot);
  const name = typed ?? proposedName(snapshot.name, workspaces);
  const isOne = count === 1;
  const there = workspaces.find((workspace) => workspace.name === name);
  const isThere = isOne && there?.lab === null && there.job === null;
  const isRunning = labs.some(({ id, host }) => id === snapshot.lab && host === snapshot.host);
  const takesFree = wantsFree ?? isRunning;
  const nameProblem = restoredNameProblem(
    { name, copies: Math.max(1, count), replaces: isReplacing },
    workspaces,
  );
  const start = useMutation({
    mutationFn: async () =>
      client.snapshots.restore(
        snapshot.name,
        isOne
          ? {
              workspace: name,
              ...(isThere && { replace: true }),
              ...(takesFree && { multilabId: 'auto' as const }),
            }
          : { workspace: name, copies: count },
        { host: snapshot.host ?? undefined },
      ),
    onSuccess: async () => fetchAgain(['workspaces'], ['labs'], ['jobs'], ['quotas']),
  });
  const names = restoredNames(name, Math.max(1, count));
  return (
    <Question
      title={`Start ${isOne ? 'a lab' : 'labs'} from ${snapshot.name}`}
      yes={isOne ? 'Start the lab' : `Start ${count} labs`}
      size="lg"
      isForm
      isDangerous={isThere && isReplacing}
      isBusy={start.isPending}
      isDisabled={nameProblem !== undefined || countProblem !== undefined}
      error={start.error}
      errorTitle="No lab is started"
      {...(start.data && { done: <Started result={start.data} /> })}
      onClose={onClose}
      onYes={() => start.mutate()}
    >
      <Text size="sm">
        Each lab gets a workspace with the files of the snapshot.{' '}
        {snapshot.cli === 'netlab'
          ? 'netlab gives the nodes their configurations back.'
          : `The nodes start as the topology says, because ${snapshot.cli} takes no configurations back: these are only files of the workspace.`}
      </Text>
      <NumberInput {...field} />
      <TextInput
        label={isOne ? 'Workspace' : 'Beginning of the workspace names'}
        description={
          isOne
            ? 'The files of the snapshot go there'
            : `The workspaces are ${names[0] ?? ''} to ${names.at(-1) ?? ''}`
        }
        value={name}
        onChange={({ currentTarget }) => {
          start.reset();
          setTyped(currentTarget.value);
        }}
        error={nameProblem}
        autoComplete="off"
        spellCheck={false}
        required
        data-autofocus
      />
      {isThere && (
        <Checkbox
          label="Replace all files of this workspace"
          checked={isReplacing}
          onChange={({ currentTarget }) => setReplacing(currentTarget.checked)}
        />
      )}
      {isThere && isReplacing && <Loss workspace={name} />}
      {isOne && (
        <Checkbox
          label="Take a free lab ID"
          description={
            isRunning
              ? `Lab ${snapshot.lab} runs now: its ID is taken`
              : `Otherwise the lab has the ID that it had, ${snapshot.lab}`
          }
          checked={takesFree}
          onChange={({ currentTarget }) => setFree(currentTarget.checked)}
        />
      )}
    </Question>
  );
}
