import { Chip, CloseButton, Group, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { IconLayoutGrid, IconSearch, IconTable } from '@tabler/icons-react';
import { useSession } from '../../api/queries.ts';
import type { View } from './use-view.ts';
import { useAddress } from './use-address.ts';

const states = ['starting', 'started', 'stopping', 'missing', 'other'];

const views = [
  { value: 'cards', label: 'Cards', Icon: IconLayoutGrid },
  { value: 'table', label: 'Table', Icon: IconTable },
];

interface Props {
  readonly view: View;
  readonly onView: (view: View) => void;
}

/** What is looked for, which stands in the address, and how it is shown, which the browser keeps. */
export function LabsToolbar({ view, onView }: Props) {
  const { get, change } = useAddress();
  const user = useSession().data?.user ?? null;
  const text = get('q') ?? '';
  return (
    <Group gap="sm" role="search" aria-label="Labs">
      <TextInput
        aria-label="Search labs"
        placeholder="Name, node, directory, owner"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          text === '' ? null : (
            <CloseButton size="sm" aria-label="Clear the search" onClick={() => change({ q: undefined })} />
          )
        }
        value={text}
        onChange={(event) => change({ q: event.currentTarget.value || undefined })}
        style={{ flex: '1 1 220px', maxWidth: 360 }}
      />
      <NativeSelect
        aria-label="State"
        value={get('state') ?? ''}
        onChange={(event) => change({ state: event.currentTarget.value || undefined })}
        data={[{ value: '', label: 'Any state' }, ...states]}
      />
      {user !== null && (
        <Chip
          checked={get('mine') !== undefined}
          onChange={(isMine) => change({ mine: isMine ? 'true' : undefined })}
        >
          Mine
        </Chip>
      )}
      <SegmentedControl
        ml="auto"
        visibleFrom="sm"
        aria-label="Shown as"
        value={view}
        onChange={(value) => onView(value === 'table' ? 'table' : 'cards')}
        data={views.map(({ value, label, Icon }) => ({
          value,
          label: (
            <Group gap={6} wrap="nowrap">
              <Icon size={16} aria-hidden />
              <span>{label}</span>
            </Group>
          ),
        }))}
      />
    </Group>
  );
}
