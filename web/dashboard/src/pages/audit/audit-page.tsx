import { Button, Code, Group, Menu, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconDownload, IconRefresh } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { ServiceError } from '../../../../../src/client/service-error.ts';
import { addressOf } from '../../api/service.ts';
import { Empty } from '../../parts/empty.tsx';
import { ForAdministrators } from '../../parts/for-administrators.tsx';
import { MenuEntry } from '../../parts/menu.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { filterOf, queryOf, type AuditFilter } from './audit-filter.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditList } from './audit-list.tsx';
import { useAudit } from './use-audit.ts';

type AuditQuery = ReturnType<typeof useAudit>;

const codeOf = (error: unknown): string | undefined =>
  error instanceof ServiceError ? error.code : undefined;

/** Downloads all lines that match, as a file. */
function ExportMenu({ filter }: { readonly filter: AuditFilter }) {
  const formats = { csv: 'CSV, for spreadsheets', jsonl: 'JSON Lines, with all fields' };
  return (
    <Menu>
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconDownload size={14} aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.entries(formats).map(([format, label]) => (
          <MenuEntry
            key={format}
            Icon={IconDownload}
            href={addressOf(
              `/audit/export?${new URLSearchParams([...queryOf(filter), ['format', format]]).toString()}`,
            )}
            download={`audit.${format}`}
          >
            {label}
          </MenuEntry>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** How far the list goes, and the way on. */
function More({
  audit,
  count,
  back,
}: {
  readonly audit: AuditQuery;
  readonly count: number;
  readonly back: string | null;
}) {
  const until = back === null ? '' : `, back to ${new Date(back).toLocaleString()}`;
  if (audit.isFetchNextPageError)
    return (
      <ProblemNotice
        error={audit.error}
        title="Older lines cannot be read"
        // The file was rotated: only a new beginning fits it.
        onRetry={codeOf(audit.error) === 'invalid-request' ? audit.refresh : () => void audit.fetchNextPage()}
      />
    );
  return (
    <Stack align="center" gap="xs">
      <Text size="sm" c="dimmed" role="status">
        {count} {count === 1 ? 'line' : 'lines'}
        {audit.hasNextPage ? until : ' in total'}
      </Text>
      {audit.hasNextPage && (
        <Button
          variant="default"
          loading={audit.isFetchingNextPage}
          onClick={() => void audit.fetchNextPage()}
        >
          {count === 0 ? 'Look further back' : 'Load more'}
        </Button>
      )}
    </Stack>
  );
}

interface ShownProps {
  readonly audit: AuditQuery;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}

function Shown({ audit, isFiltered, onClear }: ShownProps) {
  const { data, error, hasNextPage, isFetchNextPageError, refresh } = audit;
  if (!data)
    return error ? (
      <ProblemNotice error={error} title="The audit cannot be read" onRetry={refresh} />
    ) : (
      <Stack gap="xs" role="status" aria-label="Loading the audit">
        {[0, 1, 2, 3, 4].map((key) => (
          <Skeleton key={key} h={36} />
        ))}
      </Stack>
    );
  const records = data.pages.flatMap(({ entries }) => entries);
  if (records.length === 0 && !hasNextPage)
    return isFiltered ? (
      <Empty title="No line matches">
        <Button variant="default" mt="sm" onClick={onClear}>
          Show the whole audit
        </Button>
      </Empty>
    ) : (
      <Empty title="No lines yet">Requests that change something or are refused are listed here.</Empty>
    );
  return (
    <>
      {error && !isFetchNextPageError && (
        <ProblemNotice error={error} title="The list may be outdated" onRetry={refresh} />
      )}
      {records.length > 0 && <AuditList records={records} />}
      <More audit={audit} count={records.length} back={data.pages.at(-1)?.lookedBackTo ?? null} />
    </>
  );
}

function Audit() {
  const [query, setQuery] = useSearchParams();
  const text = query.toString();
  const filter = useMemo(() => filterOf(new URLSearchParams(text)), [text]);
  const setFilter = (next: AuditFilter): void => setQuery(queryOf(next), { replace: true });
  const audit = useAudit(filter);
  if (codeOf(audit.error) === 'not-supported')
    return (
      <Empty isPage title="The audit is not kept in a file">
        Its lines are in the log of the service. Set <Code>LAB_API_AUDIT_FILE</Code> to keep them in a file,
        and they are listed here.
      </Empty>
    );
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <Title order={1} size="h3">
          Audit
        </Title>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={audit.isRefetching}
            onClick={audit.refresh}
          >
            Refresh
          </Button>
          <ExportMenu filter={filter} />
        </Group>
      </Group>
      <AuditFilters filter={filter} onFilter={setFilter} />
      <Shown audit={audit} isFiltered={queryOf(filter).size > 0} onClear={() => setFilter({})} />
    </Stack>
  );
}

/** Changes by users and refused requests, for administrators. */
export default function AuditPage() {
  return (
    <ForAdministrators
      title="The audit is for administrators"
      words="Log in as an administrator of this server to read it."
    >
      <Audit />
    </ForAdministrators>
  );
}
