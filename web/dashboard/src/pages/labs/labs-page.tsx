import { Alert, Button, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconPlayerPlay, IconPlus } from '@tabler/icons-react';
import { Suspense } from 'react';
import { late } from '../../parts/late.ts';
import type { StoppedLab } from '../../../../../src/client/api-types.ts';
import { useLabs, useMayOperate, useMissingClis, useSession, useStoppedLabs } from '../../api/queries.ts';
import { Empty } from '../../parts/empty.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { FoundInLabs, isForServer, useSearch } from './found-in-labs.tsx';
import { LabCards } from './lab-cards.tsx';
import { matches, matchesStopped, rowsOf, stateOf, type LabFilter, type Row } from './lab-rows.ts';
import { LabsEmpty } from './labs-empty.tsx';
import { LabsToolbar, useView } from './labs-toolbar.tsx';
import { useComingJobs, useRecentJobs } from './queries.ts';
import { SeveralLabs, useTicks } from './several-labs.tsx';
import { StoppedLabs } from './stopped-labs.tsx';
import { useAddress } from '../../parts/use-address.ts';

const LabTable = late(async () => ({ default: (await import('./lab-table.tsx')).LabTable }));

const StartDialog = late(async () => {
  const { StartDialog: Dialog } = await import('./start/start-dialog.tsx');
  return { default: Dialog };
});

const NewLabDialog = late(async () => {
  const { NewLabDialog: Dialog } = await import('./new/new-lab-dialog.tsx');
  return { default: Dialog };
});

function Loading() {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3, xl: 4 }} role="status" aria-label="Loading the labs">
      {[0, 1, 2].map((key) => (
        <Skeleton key={key} h={210} />
      ))}
    </SimpleGrid>
  );
}

/** `2 started, 1 missing`, as an overview. */
function summary(rows: readonly Row[]): string {
  const states = rows.map(stateOf);
  const parts = [...new Set(states)].map(
    (state) => `${states.filter((one) => one === state).length} ${state}`,
  );
  return parts.join(', ');
}

interface ShownProps {
  readonly rows: readonly Row[];
  readonly stopped: readonly StoppedLab[];
  /** Whether no lab is up, for sure. */
  readonly isEmpty: boolean;
}

function Shown({ rows, stopped, isEmpty }: ShownProps) {
  const { get, change } = useAddress();
  const user = useSession().data?.user ?? undefined;
  const [view, setView] = useView(rows.length);
  const filter: LabFilter = {
    text: get('q') ?? '',
    state: get('state') as LabFilter['state'],
    owner: get('mine') === undefined ? undefined : user,
  };
  const found = rows.filter((row) => matches(row, filter));
  const ticks = useTicks(found);
  const search = useSearch(filter.text);
  // A name with a dot in it is one of the list.
  const isSearch = isForServer(filter.text) && search.data?.query.kind !== 'name';
  const foundStopped = stopped.filter((lab) => matchesStopped(lab, filter));
  return (
    <Stack>
      {isEmpty && <LabsEmpty />}
      {rows.length + stopped.length > 0 && <LabsToolbar view={view} onView={setView} />}
      {isSearch && rows.length > 0 && <FoundInLabs search={search} />}
      {!isSearch && rows.length + stopped.length > 0 && found.length + foundStopped.length === 0 ? (
        <Empty title="No lab matches">
          <Button
            variant="default"
            mt="sm"
            onClick={() => change({ q: undefined, state: undefined, mine: undefined })}
          >
            Show all {rows.length + stopped.length}
          </Button>
        </Empty>
      ) : found.length === 0 ? null : view === 'table' ? (
        <Suspense fallback={<Skeleton h={210} role="status" aria-label="Loading the labs" />}>
          <LabTable rows={found} ticks={ticks} />
        </Suspense>
      ) : (
        <LabCards rows={found} ticks={ticks} />
      )}
      {ticks.labs.length > 0 && <SeveralLabs ticks={ticks} />}
      <StoppedLabs labs={foundStopped} />
    </Stack>
  );
}

function MissingClis({ names }: { readonly names: readonly string[] }) {
  return (
    <Alert
      color="yellow"
      variant="light"
      role="status"
      icon={<IconAlertTriangle aria-hidden />}
      title={`No answer from ${names.join(', ')}`}
    >
      {names.length === 1 ? 'Its' : 'Their'} labs are missing here, or shown as they were known last.
    </Alert>
  );
}

export default function LabsPage() {
  const labs = useLabs();
  const coming = useComingJobs().data ?? [];
  const recent = useRecentJobs().data ?? [];
  const mayOperate = useMayOperate();
  const { get, change } = useAddress();
  const missing = useMissingClis();
  const stopped = useStoppedLabs().data ?? [];
  const rows = labs.data && rowsOf(labs.data, coming, recent);
  // A lab CLI that does not answer may have labs.
  const isEmpty = rows?.length === 0 && missing.length === 0;
  return (
    <Stack>
      <Group justify="space-between">
        <Group align="baseline" gap="md">
          <Title order={1} size="h2">
            Labs
          </Title>
          {rows !== undefined && rows.length > 0 && (
            <Text c="dimmed" size="sm">
              {summary(rows)}
            </Text>
          )}
        </Group>
        {mayOperate && !isEmpty && (
          <Group gap="sm">
            <Button
              variant="default"
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => change({ new: '' }, true)}
            >
              New lab
            </Button>
            <Button
              leftSection={<IconPlayerPlay size={16} aria-hidden />}
              onClick={() => change({ start: '' }, true)}
            >
              Start a lab
            </Button>
          </Group>
        )}
      </Group>
      {missing.length > 0 && <MissingClis names={missing} />}
      {labs.isError && rows === undefined ? (
        <ProblemNotice
          error={labs.error}
          title="The labs cannot be shown"
          onRetry={() => void labs.refetch()}
        />
      ) : rows === undefined ? (
        <Loading />
      ) : (
        <Shown rows={rows} stopped={stopped} isEmpty={isEmpty} />
      )}
      {mayOperate && (
        // They load before they are opened: what the user types at once goes into the first field.
        <Suspense fallback={null}>
          <StartDialog text={get('start')} />
          <NewLabDialog text={get('new')} />
        </Suspense>
      )}
    </Stack>
  );
}
