import { Chip, Group, NativeSelect, SegmentedControl } from '@mantine/core';
import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { IconLayoutGrid, IconTable } from '@tabler/icons-react';
import { useSession } from '../../api/queries.ts';
import { SearchField } from '../../parts/filters/search-field.tsx';
import { useAddress } from '../../parts/use-address.ts';

type View = 'cards' | 'table';

/** From this number of labs on, a table is easier to scan than cards. */
const manyLabs = 12;

/** Cards or table: the last choice of the user, else by the number of labs; a narrow window always has cards. */
export function useView(count: number): readonly [View, (view: View) => void] {
  const [chosen, choose] = useLocalStorage<View | ''>({
    key: 'lab-api.labs-view',
    defaultValue: '',
    getInitialValueInEffect: false,
  });
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const view = chosen === '' ? (count > manyLabs ? 'table' : 'cards') : chosen;
  return [isNarrow ? 'cards' : view, choose];
}

const states = ['starting', 'started', 'stopping', 'missing', 'other', 'stopped'];

const views = [
  { value: 'cards', label: 'Cards', Icon: IconLayoutGrid },
  { value: 'table', label: 'Table', Icon: IconTable },
];

/** The search is in the address; cards or table is stored in the browser. */
export function LabsToolbar({ view, onView }: { view: View; onView: (view: View) => void }) {
  const { get, change } = useAddress();
  const user = useSession().data?.user ?? null;
  return (
    <Group gap="sm" role="search" aria-label="Labs">
      <SearchField
        label="Search labs"
        placeholder="Name, node, owner, address, as:65001"
        text={get('q') ?? ''}
        onText={(q) => change({ q })}
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
        aria-label="View"
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
