import { MultiSelect, Select } from '@mantine/core';
import type { JobListFilter } from '../../../../../src/client/filters.ts';
import { useService } from '../../api/queries.ts';
import { FilterBar } from '../../parts/filters/filter-bar.tsx';
import { TextFilter } from '../../parts/filters/text-filter.tsx';
import { TimeFilter } from '../../parts/filters/time-filter.tsx';
import { jobStates } from './job-filter.ts';

/** The actions that the service knows: its description of each lab CLI names all. */
function useActions(): readonly string[] {
  const service = useService().data;
  return (service?.labClis ?? []).flatMap(({ otherOptions }) => Object.keys(otherOptions));
}

interface FiltersProps {
  readonly filter: JobListFilter;
  readonly onFilter: (next: JobListFilter) => void;
}

/** The filters of the jobs. They are in the address, so that it can be shared. */
export function Filters({ filter, onFilter }: FiltersProps) {
  const change = (part: JobListFilter): void => onFilter({ ...filter, ...part });
  const isAny = Object.keys(filter).length > 0;
  return (
    <FilterBar label="Filter jobs" isAny={isAny} onClear={() => onFilter({})}>
      <MultiSelect
        size="xs"
        label="State"
        placeholder={filter.state ? undefined : 'any'}
        data={[...jobStates]}
        value={[...(filter.state ?? [])]}
        onChange={(state) => change({ state })}
        miw={120}
        maw={320}
        clearable
      />
      <Select
        size="xs"
        label="Action"
        placeholder="any"
        data={[...new Set([...useActions(), ...(filter.action === undefined ? [] : [filter.action])])]}
        value={filter.action ?? null}
        onChange={(action) => change({ action: action ?? undefined })}
        w={110}
        clearable
      />
      <TextFilter label="Lab" value={filter.instance ?? ''} onApply={(instance) => change({ instance })} />
      <TextFilter
        label="Workspace"
        value={filter.workspace ?? ''}
        onApply={(workspace) => change({ workspace })}
      />
      <TextFilter
        label="Directory"
        value={filter.workdir ?? ''}
        width={180}
        onApply={(workdir) => change({ workdir })}
      />
      <TextFilter
        label="Labels"
        placeholder="build=7"
        value={(filter.label ?? []).join(' ')}
        width={150}
        onApply={(labels) => change({ label: labels.split(/\s+/).filter((label) => label !== '') })}
      />
      <TextFilter
        label="User"
        value={filter.requestedBy ?? ''}
        width={100}
        onApply={(requestedBy) => change({ requestedBy })}
      />
      <TimeFilter label="Submitted" since={filter.since} until={filter.until} onApply={change} />
    </FilterBar>
  );
}
