import { Button, Group, MultiSelect, Select, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useState } from 'react';
import { jobStates, type PageFilter } from './job-filter.ts';

const actions = [
  'up',
  'create',
  'down',
  'collect',
  'status',
  'restart',
  'validate',
  'initial',
  'config',
  'exec',
  'start-nodes',
  'stop-nodes',
  'restart-nodes',
];

/** The filter applies after Enter, or when the field loses the focus. */
function TextFilter({
  label,
  value,
  width = 120,
  onApply,
}: {
  readonly label: string;
  readonly value: string;
  readonly width?: number;
  readonly onApply: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  const apply = (): void => {
    if (text.trim() !== value) onApply(text.trim());
  };
  return (
    <TextInput
      size="xs"
      label={label}
      w={width}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply();
      }}
    />
  );
}

/** The filters of the jobs. They are in the address, so that it can be shared. */
export function Filters({ filter, onFilter }: { filter: PageFilter; onFilter: (next: PageFilter) => void }) {
  const { service, by } = filter;
  const change = (part: Partial<PageFilter['service']>): void =>
    onFilter({ by, service: { ...service, ...part } });
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [isOpen, setOpen] = useState(false);
  const isAny = Object.keys(service).length > 0 || by !== '';
  if (isNarrow && !isOpen)
    return (
      <Group gap="xs">
        <Button
          size="xs"
          variant={isAny ? 'light' : 'default'}
          leftSection={<IconFilter size={14} aria-hidden />}
          aria-expanded={false}
          onClick={() => setOpen(true)}
        >
          {isAny ? 'Filtered' : 'Filter'}
        </Button>
      </Group>
    );
  return (
    <Group gap="xs" align="end" wrap="wrap" role="search" aria-label="Filter jobs">
      <MultiSelect
        size="xs"
        label="State"
        placeholder={service.state ? undefined : 'any'}
        data={[...jobStates]}
        value={[...(service.state ?? [])]}
        onChange={(state) => change({ state })}
        miw={120}
        maw={320}
        clearable
      />
      <Select
        size="xs"
        label="Action"
        placeholder="any"
        data={actions}
        value={service.action ?? null}
        onChange={(action) => change({ action: action ?? undefined })}
        w={110}
        clearable
      />
      <TextFilter label="Lab" value={service.instance ?? ''} onApply={(instance) => change({ instance })} />
      <TextFilter
        label="Workspace"
        value={service.workspace ?? ''}
        onApply={(workspace) => change({ workspace })}
      />
      <TextFilter
        label="Directory"
        value={service.workdir ?? ''}
        width={180}
        onApply={(workdir) => change({ workdir })}
      />
      <TextFilter
        label="Labels"
        value={(service.label ?? []).join(' ')}
        width={150}
        onApply={(labels) => change({ label: labels.split(/\s+/).filter((label) => label !== '') })}
      />
      <TextFilter label="User" value={by} width={100} onApply={(next) => onFilter({ service, by: next })} />
      {isAny && (
        <Button size="xs" variant="subtle" onClick={() => onFilter({ service: {}, by: '' })}>
          Show all
        </Button>
      )}
    </Group>
  );
}
