import { Select } from '@mantine/core';
import { useDescription, useIsCluster } from '../../api/queries.ts';
import { FilterBar } from '../../parts/filters/filter-bar.tsx';
import { TextFilter } from '../../parts/filters/text-filter.tsx';
import { TimeFilter } from '../../parts/filters/time-filter.tsx';
import type { AuditFilter } from './audit-filter.ts';

interface Props {
  readonly filter: AuditFilter;
  readonly onFilter: (next: AuditFilter) => void;
}

/** The actions and operations that the service knows; none until its description is there. */
function useKnownActions(): readonly string[] {
  const document = useDescription().data as
    { components?: { schemas?: { AuditAction?: { enum?: readonly string[] } } } } | undefined;
  return document?.components?.schemas?.AuditAction?.enum ?? [];
}

function ActionFilter({ filter: { action }, onFilter }: Props) {
  const known = useKnownActions();
  return (
    <Select
      size="xs"
      label="Action or operation"
      placeholder="any"
      nothingFoundMessage="No such operation"
      // One of the address is shown until the list is there, and also when it is not in it.
      data={action === undefined || known.includes(action) ? known : [action, ...known]}
      value={action ?? null}
      onChange={(chosen) => onFilter({ action: chosen ?? undefined })}
      w={170}
      searchable
      clearable
    />
  );
}

/** The filters of the audit. They are in the address, so that it can be shared. */
export function AuditFilters({ filter, onFilter }: Props) {
  const isCluster = useIsCluster();
  const change = (part: AuditFilter): void => onFilter({ ...filter, ...part });
  const isAny = Object.keys(filter).length > 0;
  return (
    <FilterBar label="Filter the audit" isAny={isAny} onClear={() => onFilter({})}>
      <TextFilter label="User" value={filter.user ?? ''} onApply={(user) => change({ user })} />
      <TextFilter label="Lab" value={filter.lab ?? ''} onApply={(lab) => change({ lab })} />
      <ActionFilter filter={filter} onFilter={change} />
      <Select
        size="xs"
        label="Outcome"
        placeholder="any"
        data={[
          { value: 'true', label: 'with an error' },
          { value: 'false', label: 'without an error' },
        ]}
        value={filter.refused ?? null}
        onChange={(refused) => change({ refused: refused ?? undefined })}
        w={150}
        clearable
      />
      {isCluster && (
        <TextFilter
          label="Host"
          placeholder="this one"
          value={filter.host ?? ''}
          onApply={(host) => change({ host })}
        />
      )}
      <TimeFilter label="Time" since={filter.since} until={filter.until} onApply={change} />
    </FilterBar>
  );
}
